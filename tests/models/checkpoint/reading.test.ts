/** Weights that are read piece by piece, from files of all kinds. */
import { describe, expect, test } from '@jest/globals';
import { readSafetensors, writeSafetensors, type Tensor } from 'wasm-attention';
import { openModel, readCheckpoint, type OpenModelOptions, type WeightFile } from 'wasm-attention/models';
import { allocator, attention } from '../../fuzz/watched.js';
import { checkpoint, checkpoints } from '../fixtures.js';
import { halved, safetensors } from '../halves.js';
import {
  ADDRESS,
  filesOf,
  json,
  published,
  serverOf,
  sharded,
  write,
  type Files,
  type ServerOptions,
} from './folders.js';

type Weights = OpenModelOptions['weights'];

/** Everything that a model of some weights gives. */
async function resultOf(config: unknown, weights: Weights, options: Partial<OpenModelOptions> = {}) {
  const model = await openModel({ config, weights, attention, ...options });
  const { hidden, logits } = model.forward([[3, 5, 7]]);
  const { parameterBytes, unused } = model;
  model.dispose();
  return { hidden, logits, parameterBytes, unused: [...unused].sort() };
}
const fetchedFrom = (files: Files, options: ServerOptions = {}) =>
  readCheckpoint(ADDRESS, { fetch: serverOf(files, options).fetch });

/** A file of the contract, made of bytes, which says what has been read of it. */
function custom(bytes: Uint8Array<ArrayBuffer>, size = bytes.length): WeightFile & { readonly read: number[][] } {
  const read: number[][] = [];
  return {
    read,
    size,
    slice: (start, end) => ({
      arrayBuffer: async () => {
        read.push([start, end]);
        return Promise.resolve(bytes.slice(start, end).buffer);
      },
    }),
    stream: () => new Blob([bytes]).stream(),
  };
}

describe.each(checkpoints)('%s', (name) => {
  const { config, bytes } = checkpoint(name);

  test.each(['float32', 'float16', 'int8'] as const)(
    'gives the same from files as from memory, in %s',
    async (weightType) => {
      const options = { weightType };
      const expected = await resultOf(config, bytes, options);
      const shards = await fetchedFrom(sharded(name, 3));
      const given: [Weights, unknown?][] = [
        [new Blob([bytes])],
        [custom(bytes)],
        [[new File([bytes], 'model.safetensors')]],
        [(await fetchedFrom(published(name))).weights],
        [(await fetchedFrom(published(name), { ranges: false, chunk: 777 })).weights],
        [shards.weights, shards.index],
      ];
      for (const [weights, index] of given) {
        expect(await resultOf(config, weights, { ...options, index })).toEqual(expected);
      }
    },
  );
});

test('files in 16 bits, and in 8', async () => {
  const { config, bytes } = checkpoint('llama-grouped');
  const tensors = readSafetensors(bytes);
  const forms = (['F16', 'BF16'] as const).map((dtype) =>
    safetensors(
      Object.fromEntries(
        Object.entries(tensors).map(([name, { data, shape }]) => [name, { dtype, shape, data: halved(dtype, data) }]),
      ),
    ),
  );
  const int8 = new Uint8Array(writeSafetensors(tensors, { weightType: 'int8' }));
  expect(await resultOf(config, int8)).toEqual(await resultOf(config, write(readSafetensors(int8))));
  for (const form of [...forms, int8]) {
    const files = { 'config.json': json(config), 'model.safetensors': form };
    for (const weights of [
      new Blob([form]),
      (await fetchedFrom(files)).weights,
      (await fetchedFrom(files, { ranges: false })).weights,
    ]) {
      expect(await resultOf(config, weights)).toEqual(await resultOf(config, form));
    }
  }
});

describe('a head beside the embedding', () => {
  const { config, bytes } = checkpoint('llama3-scaled-tied');
  const tensors = readSafetensors(bytes);
  const [head, embedding] = ['lm_head.weight', 'model.embed_tokens.weight'] as const;
  const table = tensors[embedding]!;
  const other = { ...table, data: table.data.map((x, i) => (i === 777 ? 2 * x + 1 : x)) };
  const orders = (lmHead: Tensor): Record<string, Tensor>[] => [
    { [head]: lmHead, ...tensors },
    { ...tensors, [head]: lmHead },
  ];

  test.each(['float32', 'float16', 'int8'] as const)('is stored once if it equals that, in %s', async (weightType) => {
    const tied = await resultOf(config, tensors, { weightType });
    for (const [lmHead, isEqual] of [
      [table, true],
      [other, false],
    ] as const) {
      for (const order of orders(lmHead)) {
        const files = { 'config.json': json(config), 'model.safetensors': write(order) };
        const expected = await resultOf(config, order, { weightType });
        expect(expected.parameterBytes === tied.parameterBytes).toBe(isEqual);
        const both: Weights = [new Blob([write({ [head]: lmHead })]), write(tensors)];
        for (const weights of [
          new Blob([files['model.safetensors']]),
          (await fetchedFrom(files)).weights,
          (await fetchedFrom(files, { ranges: false })).weights,
          both,
        ]) {
          expect(await resultOf(config, weights, { weightType })).toEqual(expected);
        }
      }
    }
  });

  test('is another if only its scales in int8 differ', async () => {
    for (const order of orders({ ...table, data: table.data.map((x) => 2 * x) })) {
      const form = new Uint8Array(writeSafetensors(order, { weightType: 'int8' }));
      const files = { 'config.json': json(config), 'model.safetensors': form };
      const expected = await resultOf(config, readSafetensors(form));
      for (const weights of [form, new Blob([form]), (await fetchedFrom(files)).weights]) {
        expect(await resultOf(config, weights)).toEqual(expected);
      }
    }
  });

  test('is named if it does not fit into float16', async () => {
    const large = { ...table, data: table.data.map((x, i) => (i === 777 ? 1e6 : x)) };
    for (const order of orders(large)) {
      const opening = resultOf(config, new Blob([write(order)]), { weightType: 'float16' });
      await expect(opening).rejects.toThrow(`'${head}' within float16`);
    }
  });
});

test('progress tells the bytes read of all that will be read', async () => {
  const { config, bytes } = checkpoint('gpt2');
  const used = Object.values(readSafetensors(bytes)).reduce((sum, { data }) => sum + data.byteLength, 0);
  for (const weights of [bytes, new Blob([bytes]), (await fetchedFrom(published('gpt2'))).weights]) {
    const seen: number[][] = [];
    await resultOf(config, weights, { onProgress: (...progress) => void seen.push(progress) });
    expect(seen.at(-1)).toEqual([used, used]);
    expect(seen.map(([done]) => done)).toEqual(seen.map(([done]) => done).sort((a, b) => a! - b!));
  }
});

test('only tensors that the model uses are read', async () => {
  const { config, bytes } = checkpoint('bert-padded');
  const extra = { data: new Float32Array(1000), shape: [1000] };
  const file = custom(write({ ...readSafetensors(bytes), 'a.extra': extra, 'z.extra': extra }));
  expect((await resultOf(config, file)).unused).toEqual(['a.extra', 'z.extra']);
  expect(file.read.reduce((sum, [start, end]) => sum + end! - start!, 0)).toBeLessThan(file.size - 7000);
});

describe('what cannot be read', () => {
  const { config, bytes } = checkpoint('gpt2');
  const files = published('gpt2');
  const expectNothingLeft = async (opening: () => Promise<unknown>, message: RegExp | Error): Promise<void> => {
    const live = allocator.liveBytes;
    const error: unknown = await opening().catch((each: unknown) => each);
    if (message instanceof Error) expect(error).toBe(message);
    else expect(String(error)).toMatch(message);
    expect(allocator.liveBytes).toBe(live);
  };

  test('is named, leaves nothing in memory, and the next opening is right', async () => {
    const right = await resultOf(config, bytes);
    const short = { ...files, 'model.safetensors': bytes.slice(0, -1) };
    const [shard] = filesOf({ 'model-00001-of-00001.safetensors': bytes.slice(0, -1) });
    const text = 'model-00001-of-00001.safetensors';
    await expectNothingLeft(
      () => resultOf(config, [shard!]),
      RegExp(`bytes of data, as the header says in '${text}', got`),
    );
    await expectNothingLeft(
      () => resultOf(config, custom(bytes.slice(0, -1), bytes.length)),
      /a file of \d+ bytes, got \d+$/,
    );
    const { weights } = await fetchedFrom(short);
    await expectNothingLeft(() => resultOf(config, weights), /'model\.safetensors', got/);
    for (const ranges of [true, false]) {
      for (let breaksAfter = 0; breaksAfter < bytes.length; breaksAfter += 997) {
        const broken = await fetchedFrom(files, { ranges, breaksAfter });
        await expectNothingLeft(
          () => resultOf(config, broken.weights),
          /^RangeError: openModel: expected a file 'model\.safetensors' that can be read, got the line broke$/,
        );
      }
    }
    expect(await resultOf(config, bytes)).toEqual(right);
    expect(await resultOf(config, new Blob([bytes]))).toEqual(right);
  });

  test('keeps its cause', async () => {
    const cause = new Error('the disk is gone');
    const file = {
      ...custom(bytes),
      name: 'a.safetensors',
      slice: () => ({ arrayBuffer: () => Promise.reject(cause) }),
    };
    const message = "openModel: expected a file 'a.safetensors' that can be read, got the disk is gone";
    await expect(openModel({ config, weights: file, attention })).rejects.toMatchObject({ message, cause });
  });

  test('because of an abort ends with its reason, at every file and tensor', async () => {
    const reason = new Error('enough');
    let aborted = 0;
    for (const kind of ['memory', 'custom', 'address', 'forward']) {
      for (let at = 0, ended = false; !ended; ++at) {
        const controller = new AbortController();
        const { signal } = controller;
        let count = 0;
        const step = (): void => {
          if (count++ === at) controller.abort(reason);
        };
        const own = custom(bytes);
        const counted = {
          ...own,
          slice: (start: number, end: number) => {
            step();
            return own.slice(start, end);
          },
        };
        const weights =
          kind === 'memory'
            ? bytes
            : kind === 'custom'
              ? counted
              : (await fetchedFrom(files, { ranges: kind === 'address', chunk: 500 })).weights;
        const onProgress = kind === 'custom' ? () => undefined : step;
        const options = { signal, onProgress };
        await openModel({ config, weights, attention, ...options }).then(
          (model) => {
            // Aborted after the last tensor, or never.
            ended = !signal.aborted || count === at + 1;
            model.dispose();
          },
          (error: unknown) => {
            aborted += 1;
            expect(error).toBe(reason);
          },
        );
        if (at > 500) throw new Error('it never ends');
      }
    }
    expect(aborted).toBeGreaterThan(60);
    await expectNothingLeft(() => resultOf(config, bytes, { signal: AbortSignal.abort(reason) }), reason);
  });

  test('because a read never ends is ended by an abort', async () => {
    const reason = new Error('enough');
    const controller = new AbortController();
    const file = { ...custom(bytes), slice: () => ({ arrayBuffer: () => new Promise<never>(() => undefined) }) };
    setTimeout(() => controller.abort(reason), 10);
    await expectNothingLeft(() => resultOf(config, file, { signal: controller.signal }), reason);
  });
});

test('options of a wrong kind are refused', async () => {
  const { config, bytes } = checkpoint('gpt2');
  await expect(resultOf(config, bytes, { signal: 7 as never })).rejects.toThrow('signal to be an AbortSignal');
  await expect(openModel({ weights: bytes, attention })).rejects.toThrow(/^openModel: expected config to be an object/);
  await expect(resultOf(config, { size: -1, slice: () => undefined } as never)).rejects.toThrow(TypeError);
});
