/** Activations by their names, and logits of any residual stream. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Tensor } from 'wasm-attention';
import type { Model } from 'wasm-attention/models';
import { allocator } from '../fuzz/watched.js';
import { expectClose } from '../support/close.js';
import { Random } from '../support/random.js';
import { checkpoint, checkpoints, open, pictureCheckpoints, stories } from './fixtures.js';
import { openPictures, pictureCheckpoint } from './pictures/fixtures.js';

const bitsOf = ({ data }: Tensor): Int32Array => new Int32Array(data.slice().buffer);
/** What leaves the last block. */
const endOf = (model: Model, isPost: boolean): string =>
  `blocks.${model.numLayers - 1}.hook_${isPost ? 'normalized_' : ''}resid_post`;

describe('activations', () => {
  test.each(checkpoints)('of %s are what hooks see', async (name) => {
    const { expected, ...files } = checkpoint(name);
    const model = await open(files);
    const options = {
      attentionMask: expected.attentionMask,
      ...(expected.tokenTypes && { tokenTypes: expected.tokenTypes }),
      ablateNeurons: [[0, 1]],
    } as const;
    const all = model.activations(expected.ids, /./, options);
    expect(Object.keys(all).length).toBeGreaterThan(14 * model.numLayers);
    const seen: Record<string, Tensor> = {};
    const hooks = Object.fromEntries(
      Object.keys(all).map((each) => [each, (value: Tensor) => void (seen[each] = value)]),
    );
    model.forward(expected.ids, { ...options, hooks });
    expect(all).toEqual(seen);
    expect(Object.keys(all)).toEqual(Object.keys(seen));
    model.dispose();
  });

  test.each(pictureCheckpoints)('of the pictures of %s, too, and returning them changes no bit', async (name) => {
    const model = await openPictures(pictureCheckpoint(name).files);
    const pixels = new Random(3).tensor([2, 3, 24, 24]);
    const all = model.activations(pixels, /./);
    const { hidden } = model.forward(pixels);
    expect(all.hook_embed!.shape).toEqual(hidden.shape);
    const hooks = Object.fromEntries(Object.keys(all).map((each) => [each, (value: Tensor) => value]));
    expect(bitsOf(model.forward(pixels, { hooks }).hidden)).toEqual(bitsOf(hidden));
    const neuron = model.activations(pixels, ['blocks.1.mlp.hook_post'], { ablateNeurons: [[1, 2]] });
    const { data, shape } = neuron['blocks.1.mlp.hook_post']!;
    const width = shape.at(-1)!;
    expect(data.filter((x, i) => i % width === 2 && x !== 0)).toEqual(new Float32Array(0));
    expect(() => model.unembed(hidden)).toThrow(/^unembed: expected a model with a head that predicts tokens, got a /);
    model.dispose();
  });

  test('are chosen by a list or a pattern with any flags, more than once', async () => {
    const model = await open(checkpoint('gpt2'));
    const names = ['blocks.1.mlp.hook_post', 'hook_embed', 'hook_embed'];
    expect(Object.keys(model.activations([5, 6], names)).sort()).toEqual(names.slice(0, 2));
    for (const pattern of [/mlp\.hook_post$/, /MLP\.hook_post$/gi, /blocks\.\d\.mlp\.hook_post/y]) {
      pattern.lastIndex = 7;
      for (const _ of [1, 2]) {
        expect(Object.keys(model.activations([5, 6], pattern))).toEqual(
          [0, 1].map((layer) => `blocks.${layer}.mlp.hook_post`),
        );
      }
      expect(pattern.lastIndex).toBe(7);
    }
    expect(model.activations([5, 6], [])).toEqual({});
    model.dispose();
  });

  test('are what stands after hooks, and continue a cache', async () => {
    const model = await open(checkpoint('llama-grouped'));
    const name = 'blocks.0.hook_mlp_out';
    const double = ({ data, shape }: Tensor): Tensor => ({ data: data.map((x) => 2 * x), shape });
    const plain = model.activations([5, 6, 7], [name, 'blocks.1.hook_resid_pre']);
    const hooked = model.activations([5, 6, 7], [name], { hooks: { [name]: double } });
    expect(hooked[name]).toEqual(double(plain[name]!));
    // A hook that keeps what it changes replaces nothing.
    const spoil = ({ data }: Tensor): void => void data.fill(9);
    expect(model.activations([5, 6, 7], [name], { hooks: { [name]: spoil } })[name]).toEqual(plain[name]);
    const cache = model.createCache({ maxLength: 8 });
    model.activations([5, 6], [name], { cache });
    expect(cache.length).toBe(2);
    const last = model.activations([7], ['blocks.1.hook_resid_pre'], { cache })['blocks.1.hook_resid_pre']!;
    const width = last.shape[2]!;
    expectClose(
      last,
      { data: plain['blocks.1.hook_resid_pre']!.data.slice(2 * width), shape: [1, 1, width] },
      { atol: 1e-5 },
    );
    model.dispose();
  });

  test.each<[string, unknown, RegExp]>([
    ['a name that no model has', ['blocks.0.mlp.hook_posts'], /known hooks \(the nearest is .*hook_post\)/],
    [
      'a name of a layer that there is not',
      ['hook_embed', 'blocks.2.hook_resid_pre'],
      /got 'blocks\.2\.hook_resid_pre'$/,
    ],
    ['a norm that phi does not have', ['blocks.0.ln2.hook_normalized'], /got 'blocks\.0\.ln2\.hook_normalized'$/],
    ['a pattern that fits none', /hook_pre_linear/, /names to fit a hook, got \/hook_pre_linear\/$/],
    ['a string', 'hook_embed', /names to be a RegExp or a list of strings, got 'hook_embed'$/],
    ['nothing', undefined, /names to be a RegExp or a list of strings, got undefined$/],
    ['numbers', [1], /names to hold strings, got 1$/],
    ['patterns', [/hook/], /names to hold strings, got RegExp$/],
    ['a list with a hole', Array(1), /names to hold strings, got undefined$/],
  ])('with %s are a TypeError', async (_, names, message) => {
    const model = await open(checkpoint('phi'));
    const before = allocator.liveBytes;
    const get = () => model.activations([5, 6], names as string[]);
    expect(get).toThrow(TypeError);
    expect(get).toThrow(message);
    expect(get).toThrow(/^activations: expected /);
    expect(allocator.liveBytes).toBe(before);
    model.dispose();
  });

  test('refuse what forward refuses', async () => {
    const model = await open(checkpoint('phi'));
    expect(() => model.activations([999], ['hook_embed'])).toThrow(/^activations: expected ids/);
    const wrong = { attentionMasks: [1] } as never;
    expect(() => model.activations([5], ['hook_embed'], wrong)).toThrow(/nearest is attentionMask/);
    expect(() => model.activations([5], ['hook_embed'], { ablateNeurons: [[9, 0]] })).toThrow(/ablateNeurons's layer/);
    const again = () => void model.activations([5], ['hook_embed']);
    expect(() => model.forward([5], { hooks: { hook_embed: again } })).toThrow(/between passes/);
    model.dispose();
    expect(() => model.activations([5], /./)).toThrow(/^activations: .*disposed/);
  });
});

describe('unembed', () => {
  test.each(checkpoints.filter((name) => 'lens.0' in checkpoint(name).tensors))(
    'gives the logit lens of %s as PyTorch does',
    async (name) => {
      const { expected, tensors, architecture, ...files } = checkpoint(name);
      const model = await open(files);
      const options = {
        attentionMask: expected.attentionMask,
        ...(expected.tokenTypes && { tokenTypes: expected.tokenTypes }),
      };
      const place = architecture.order === 'post' ? 'hook_normalized_resid_post' : 'hook_resid_post';
      const stream = model.activations(expected.ids, new RegExp(`${place}$`), options);
      Object.values(stream).forEach((residual, layer) => {
        const wanted = tensors[`lens.${layer}`]!;
        const actual = model.unembed(residual);
        expect(actual.shape).toEqual(wanted.shape);
        const isToken = (_: number, i: number): boolean =>
          expected.attentionMask.flat()[Math.floor(i / model.vocabSize)] === 1;
        const kept = ({ data }: Tensor) => {
          const tokens = data.filter(isToken);
          return { data: tokens, shape: [tokens.length] };
        };
        // The fixtures' own tolerance.
        expectClose(kept(actual), kept(wanted), { atol: 4e-5, rtol: 4e-5 });
      });
      model.dispose();
    },
  );

  test.each(checkpoints)('gives the logits of %s, to the bit, if its head predicts tokens', async (name) => {
    const { expected, architecture, ...files } = checkpoint(name);
    const model = await open(files);
    const isPost = architecture.order === 'post';
    const end = endOf(model, isPost);
    const { [end]: residual, ...normed } = model.activations(expected.ids, new RegExp(`${end}|ln_final`));
    const { logits } = model.forward(expected.ids);
    if (logits?.shape[2] !== model.vocabSize) {
      expect(() => model.unembed(residual!)).toThrow(TypeError);
      expect(() => model.unembed(residual!)).toThrow(/a head that predicts tokens/);
    } else {
      expect(bitsOf(model.unembed(residual!))).toEqual(bitsOf(logits));
      const { 'ln_final.hook_normalized': final } = normed;
      expect(final === undefined).toBe(isPost);
      // A post-norm model has no final norm to leave out.
      expect(bitsOf(model.unembed(final ?? residual!, { norm: false }))).toEqual(bitsOf(logits));
    }
    model.dispose();
  });

  test.each(['float16', 'int8', 'int8-fine'] as const)('gives them with weights of type %s', async (weightType) => {
    const model = await open(stories, { weightType });
    const ids = Array.from({ length: 130 }, (_, i) => 1 + ((i * 37) % 500));
    const end = endOf(model, false);
    const { [end]: residual } = model.activations(ids, [end]);
    expect(bitsOf(model.unembed(residual!))).toEqual(bitsOf(model.forward(ids).logits!));
    model.dispose();
  });

  test('takes any number of axes, and gives each row the same', async () => {
    const model = await open(checkpoint('opt'));
    const random = new Random(8);
    const width = model.numHiddens;
    const all = random.tensor([2, 3, 4, width]);
    const logits = model.unembed(all);
    expect(logits.shape).toEqual([2, 3, 4, model.vocabSize]);
    const row = (i: number): Float32Array => all.data.slice(i * width, (i + 1) * width);
    const one = model.unembed({ data: row(7), shape: [width] });
    expect(one.shape).toEqual([model.vocabSize]);
    expect(one.data).toEqual(logits.data.slice(7 * model.vocabSize, 8 * model.vocabSize));
    expect(model.unembed([Array.from(row(7))])).toEqual({ data: one.data, shape: [1, model.vocabSize] });
    const none = model.unembed({ data: new Float32Array(0), shape: [0, width] });
    expect(none).toEqual({ data: new Float32Array(0), shape: [0, model.vocabSize] });
    model.dispose();
  });

  test('refuses other widths, options and states of the model', async () => {
    const model = await open(checkpoint('gpt2'));
    const width = model.numHiddens;
    const zeros = (shape: number[]) => ({ data: new Float32Array(shape.reduce((a, b) => a * b, 1)), shape });
    const before = allocator.liveBytes;
    for (const [residual, options, message, Kind] of [
      [zeros([2, width + 1]), {}, /residual of shape \(…, 24\), got \(2, 25\)$/, RangeError],
      [zeros([]), {}, /residual of shape \(…, 24\), got \(\)$/, RangeError],
      [zeros([width, 1]), {}, /residual of shape \(…, 24\), got \(24, 1\)$/, RangeError],
      ['residual', {}, /residual/, TypeError],
      [undefined, {}, /residual/, TypeError],
      [zeros([width]), { norm: 1 }, /norm to be a boolean, got 1$/, TypeError],
      [zeros([width]), { norms: true }, /nearest is norm\), got 'norms'$/, TypeError],
      [zeros([width]), true, /options to be an object/, TypeError],
    ] as const) {
      const get = () => model.unembed(residual as never, options as never);
      expect(get).toThrow(Kind);
      expect(get).toThrow(message);
      expect(get).toThrow(/^unembed: expected /);
    }
    expect(allocator.liveBytes).toBe(before);
    expect(model.unembed(zeros([width]), { norm: null } as never)).toEqual(model.unembed(zeros([width])));
    const again = () => void model.unembed(zeros([width]));
    expect(() => model.forward([5], { hooks: { hook_embed: again } })).toThrow(/between passes/);
    model.dispose();
    expect(() => model.unembed(zeros([width]))).toThrow(/^unembed: .*disposed/);
  });
});

test('anything else is refused with the library’s errors, and does no harm', async () => {
  const model = await open(checkpoint('llama-microscope'));
  const ids = [1, 2, 3];
  const plain = model.forward(ids);
  const live = allocator.liveBytes;
  const anything = fc.anything({ maxDepth: 2, withTypedArray: true, withBigInt: true, withNullPrototype: true });
  const hook = fc.constantFrom('hook_embed', 'blocks.0.mlp.hook_post', 'blocks.1.attn.hook_result', 'blocks.9.hook_z');
  const names = fc.oneof(fc.array(hook, { maxLength: 3 }), fc.constantFrom(/mlp/, /x/, /(?:)/g), anything);
  const pairs = fc.array(fc.tuple(fc.integer({ min: -1, max: 2 }), fc.integer({ min: -1, max: 31 })), { maxLength: 4 });
  const calls = fc.oneof(
    fc.tuple(names, fc.oneof(pairs, anything)).map(([wanted, ablateNeurons]) => () => {
      const found = model.activations(ids, wanted as string[], { ablateNeurons } as never);
      for (const { data, shape } of Object.values(found)) expect(data.length).toBe(shape.reduce((a, b) => a * b, 1));
    }),
    fc.tuple(anything, anything).map(
      ([residual, options]) =>
        () =>
          void model.unembed(residual as never, options as never),
    ),
  );
  let passed = 0;
  fc.assert(
    fc.property(calls, (call) => {
      try {
        call();
        passed += 1;
      } catch (error) {
        expect(['RangeError', 'TypeError']).toContain((error as Error).name);
        expect((error as Error).message).toMatch(/^(activations|unembed): expected /);
      }
      expect(allocator.liveBytes).toBe(live);
    }),
    { numRuns: 800 },
  );
  expect(passed).toBeGreaterThan(20);
  expect(model.forward(ids)).toEqual(plain);
  model.dispose();
});
