/** Manipulated configs, files, pictures and options are refused with the library's errors, and do no other harm. */
import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { writeSafetensors, type Tensor } from 'wasm-attention';
import { openModel, type VisionModel } from 'wasm-attention/models';
import { allocator, attention } from '../../../fuzz/watched.js';
import { strange } from '../../strange.js';
import { openPictures, pictureCheckpoint, pictureFiles, tensorsOf } from '../fixtures.js';

type Config = Record<string, unknown>;

const all = pictureFiles.map(({ config, weights, part }) => ({
  family: String(config.model_type),
  config,
  bytes: weights instanceof Uint8Array ? weights : new Uint8Array(writeSafetensors(weights)),
  part,
}));
const pixels = { data: Float32Array.from({ length: 3 * 24 * 24 }, (_, i) => Math.sin(i)), shape: [1, 3, 24, 24] };

/** Opens and uses a model; it may be refused with an error of the library. */
async function open(config: unknown, weights: Uint8Array<ArrayBuffer>, part: unknown): Promise<boolean> {
  let model: VisionModel | undefined;
  try {
    model = await openModel<VisionModel>({ config, weights, attention, part: part as never });
    model.forward(model.vocabSize === 0 ? pixels : [[1, 2]]);
    return true;
  } catch (error) {
    const { name, message } = error as Error;
    expect(['RangeError', 'TypeError']).toContain(name);
    expect(message).toMatch(/^(openModel|forward): expected /);
    return false;
  } finally {
    model?.dispose();
  }
}

// The module keeps a block from its first call on.
beforeAll(async () => {
  await open(all[0]!.config, all[0]!.bytes, all[0]!.part);
});

test('configs with some changed fields, those of towers too', async () => {
  let [opened, refused] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...all),
      fc.array(fc.tuple(fc.nat(), fc.boolean(), strange), { minLength: 1, maxLength: 3 }),
      async ({ config, bytes, part }, changes) => {
        const live = allocator.liveBytes;
        const others = [
          'mlp_ratio',
          'use_swiglu_ffn',
          'qkv_bias',
          'num_register_tokens',
          'projection_dim',
          'num_channels',
        ];
        const whole = ['vision_config', 'vision_config_dict', 'text_config', 'architectures', 'id2label', 'pooler_act'];
        const changed: Config = { ...config };
        for (const [i, isInner, value] of changes) {
          const inner = isInner && Object(changed.vision_config) === changed.vision_config;
          const fields = inner ? { ...(changed.vision_config as Config) } : changed;
          const names = [...Object.keys(fields), ...others, ...whole, 'vision_use_head', 'eos_token_id'];
          fields[names[i % names.length]!] = value;
          if (inner) changed.vision_config = fields;
        }
        if (await open(changed, bytes, part)) opened += 1;
        else refused += 1;
        expect(allocator.liveBytes).toBe(live);
      },
    ),
    { numRuns: 1500 },
  );
  // Some changes have no effect, or change fields that a family does not read.
  expect(opened).toBeGreaterThan(100);
  expect(refused).toBeGreaterThan(500);
});

test('files with some bytes of the header changed, or cut', async () => {
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...all),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.boolean(),
      async ({ config, bytes, part }, changes, share, cut) => {
        const live = allocator.liveBytes;
        const file = cut ? bytes.slice(0, Math.floor(share * bytes.length)) : bytes.slice();
        const header = Math.min(file.length, 8 + new DataView(bytes.buffer).getUint32(0, true));
        for (const [at, byte] of changes) if (header > 0) file[at % header] = byte;
        if (!(await open(config, file, part))) refused += 1;
        expect(allocator.liveBytes).toBe(live);
      },
    ),
    { numRuns: 500 },
  );
  expect(refused).toBeGreaterThan(200);
});

test('pictures of any size and options of any kind', async () => {
  const model = await openPictures(pictureCheckpoint('dinov2-registers').files);
  const right = model.forward(pixels);
  const live = allocator.liveBytes;
  const value = fc.oneof(strange, fc.anything({ maxDepth: 2, withTypedArray: true, withBigInt: true }));
  const names = ['needWeights', 'needHiddenStates', 'window', 'ablate', 'hooks', 'positions', 'cache', 'attentionMask'];
  fc.assert(
    fc.property(
      fc.oneof(
        value,
        fc.tuple(fc.nat(2), fc.constantFrom(1, 3), fc.nat(70), fc.nat(70)).map((shape) => ({
          data: new Float32Array(shape.reduce((a, b) => a * b)).fill(0.5),
          shape,
        })),
      ),
      fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 2 }),
      (given, options) => {
        try {
          const { hidden } = model.forward(given as Tensor, options);
          const [, , height, width] = (given as Tensor).shape as [number, number, number, number];
          const { first, rows, columns } = model.patches(height, width);
          expect(hidden.shape).toEqual([(given as Tensor).shape[0], first + rows * columns, 24]);
        } catch (error) {
          const { name, message } = error as Error;
          expect([name, message]).toEqual([
            expect.stringMatching(/^(Range|Type)Error$/),
            expect.stringMatching(/^forward: expected /),
          ]);
        }
        expect(allocator.liveBytes).toBe(live);
      },
    ),
    { numRuns: 2000 },
  );
  expect(model.forward(pixels)).toEqual(right);
  model.dispose();
});

test('every tensor with a bit of its shape changed is named', async () => {
  for (const files of pictureFiles.filter(({ config }) => config.model_type !== 'clip_text_model')) {
    const tensors = tensorsOf(files) as Record<string, Tensor>;
    const model = await openPictures(files);
    const { unused } = model;
    model.dispose();
    for (const [name, { data, shape }] of Object.entries(tensors)) {
      if (unused.includes(name) || shape.length === 0) continue;
      const other = { data: new Float32Array((data.length / shape.at(-1)!) * (shape.at(-1)! + 1)), shape: [...shape] };
      other.shape[shape.length - 1]! += 1;
      const opening = openPictures({ ...files, weights: { ...tensors, [name]: other } });
      await expect(opening).rejects.toThrow(`openModel: expected '${name}' of shape`);
    }
  }
});
