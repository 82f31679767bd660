/** What a caller gets is his: shapes, caches and arrays for results cannot change what the library computes, nor can calls within calls. */
import { afterAll, describe, expect, test } from '@jest/globals';
import type {
  AttentionOptions,
  Layer,
  LayerForwardOptions,
  Tensor,
  TensorLike,
  TransformerDecoderLayer,
} from 'wasm-attention';
import { ALL_LAYERS } from '../support/allLayers.js';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';
import { same } from '../support/same.js';

const random = new Random(11);
const [batch, length, width] = [2, 4, 8];
const x = random.tensor([batch, length, width]);
const g = random.tensor([batch, length, width]);
const copyOf = ({ data, shape }: Tensor): Tensor => ({ data: data.slice(), shape: [...shape] });

const sizes = { numHiddens: width, numHeads: 2, seed: 1 };
const multiHead = () => new attention.MultiHeadAttention({ ...sizes, bias: true });
const encoder = () => new attention.TransformerEncoderLayer({ ...sizes, ffnHiddens: 12 });

/** All that a layer gives in training: results, gradients of inputs and of parameters. */
function trained(
  layer: Omit<Layer, 'forward'>,
  forward: () => { output: Tensor; weights?: Tensor; backward?: (g: TensorLike) => object },
): unknown {
  const { output, weights, backward } = forward();
  // The results are copied first: a later step may be given the same arrays.
  const given = structuredClone({ output, weights });
  return { given, input: backward!(g), grads: layer.parameters().map(({ grad }) => grad) };
}

describe('shapes that a layer gives', () => {
  test.each(ALL_LAYERS)('are copies: $title', ({ make }) => {
    const { layer, forward } = make();
    const other = make();
    const before = other.layer.stateDict();
    for (const parameter of layer.parameters()) {
      const shape = parameter.shape as number[];
      shape[0] = 20;
      shape.push(3);
      const { data } = parameter;
      expect(data).toEqual(layer.stateDict()[parameter.name]!.data);
      expect(() => parameter.set(new Float32Array(20 * data.length))).toThrow(RangeError);
      parameter.set(data);
    }
    for (const { shape } of Object.values(layer.stateDict())) (shape as number[]).fill(9);
    const pass = forward({ training: true });
    const gradient = pass.output.data.slice();
    const shape = [...pass.output.shape];
    (pass.output.shape as number[]).fill(7);
    const grads = pass.backward!({ data: gradient, shape });
    for (const { shape } of Object.values(grads)) (shape as number[]).fill(5);
    expect(same(layer.stateDict(), before)).toBe(true);
    expect(same(forward(), other.forward())).toBe(true);
    expect(same(other.layer.stateDict(), before)).toBe(true);
  });

  test('are different ones for each result', () => {
    const past = { pastKey: random.tensor([2, 2, 3, 4]), pastValue: random.tensor([2, 2, 3, 4]) };
    const needs = { needWeights: true, needScores: 'masked', needLogSumExp: true } as const;
    const heads = random.tensor([2, 2, 4, 4]);
    for (const result of [
      multiHead().forward(x, x, x, { ...past, ...needs }),
      attention.scaledDotProductAttention(heads, heads, heads, { ...past, ...needs }),
    ]) {
      const shapes = Object.values(result).map((tensor) => (tensor as Tensor).shape);
      expect(shapes).toHaveLength(6);
      expect(new Set(shapes).size).toBe(6);
    }
    const { queries, keys, values } = multiHead().forward(x, x, x, { training: true }).backward!(g);
    expect(new Set([queries.shape, keys.shape, values.shape]).size).toBe(3);
  });
});

describe('a cache', () => {
  test('has no fields that can be changed, and none that the library would read', () => {
    const layer = multiHead();
    const other = multiHead();
    const decode = (change: (cache: object) => void) => {
      const cache = layer.createCache({ batch, maxLength: length });
      change(cache);
      layer.forward(x, x, x, { cache });
      expect(() => layer.forward(x, x, x, { cache })).toThrow(/at most 0 more tokens/);
      expect([cache.length, cache.maxLength]).toEqual([length, length]);
      expect(() => other.forward(x, x, x, { cache })).toThrow(/another layer's/);
      cache.dispose();
    };
    decode((cache) => {
      for (const name of ['maxLength', 'length']) {
        expect(() => Object.assign(cache, { [name]: 1e6 })).toThrow(TypeError);
      }
      // What the prototype or the constructor offer does not reach the fields either.
      Object.assign(cache, { owner: other, batch: 9, grow: undefined, addresses: undefined });
    });
    decode((cache) => Object.defineProperty(cache, 'maxLength', { value: length, configurable: true }));
    const real = layer.createCache({ batch, maxLength: length });
    for (const cache of [Object.create(real), new Proxy(real, {}), { ...real }]) {
      expect(() => layer.forward(x, x, x, { cache: cache as typeof real })).toThrow(/of createCache/);
    }
  });
});

describe('an array for a result', () => {
  const mask = { data: Uint8Array.from({ length: length ** 2 }, (_, i) => Number(i % 3 > 0)), shape: [4, 4] };

  test('may be the input of a layer in training, without changing its gradients', () => {
    const fresh = multiHead();
    const expected = trained(fresh, () => fresh.forward(x, x, x, { training: true }));
    const layer = multiHead();
    const input = copyOf(x);
    const given = trained(layer, () => layer.forward(input, input, input, { training: true, out: { output: input.data } })); // prettier-ignore
    expect(same(given, expected)).toBe(true);
  });

  /** Each option that is an array, given as the memory that the output or the weights are written into. */
  const options: Record<string, { out: 'output' | 'weights'; shape: number[] }> = {
    'a bias, with the output': { out: 'output', shape: [1, 2, 4, 4] },
    'a bias, with the weights': { out: 'weights', shape: [2, 2, 4, 4] },
    'relative keys, with the weights': { out: 'weights', shape: [7, 4] },
    'relative values, with the output': { out: 'output', shape: [7, 4] },
    'slopes, with the output': { out: 'output', shape: [2] },
    'sinks, with the output': { out: 'output', shape: [2] },
  };
  const nameOf = (title: string) =>
    title.startsWith('a bias') ? 'bias' : title.startsWith('slopes') ? 'alibiSlopes' : title.startsWith('sinks') ? 'sinks' : title.includes('keys') ? 'relativeKeys' : 'relativeValues'; // prettier-ignore
  test.each(Object.keys(options))('may be that of %s', (title) => {
    const { out, shape } = options[title]!;
    const size = out === 'output' ? batch * length * width : batch * 2 * length * length;
    for (const makeLayer of [multiHead, encoder]) {
      const run = (shared: boolean): unknown => {
        const layer = makeLayer();
        const memory = new Random(5).tensor([size]).data;
        const count = shape.reduce((product, axis) => product * axis);
        const own = shared ? memory : memory.slice();
        const given: LayerForwardOptions = {
          training: true,
          needWeights: true,
          mask,
          out: { [out]: memory },
          [nameOf(title)]: { data: own.subarray(0, count), shape },
        };
        return trained(layer, () => layer instanceof attention.MultiHeadAttention ? layer.forward(x, x, x, given) : layer.forward(x, given)); // prettier-ignore
      };
      expect(same(run(true), run(false))).toBe(true);
    }
  });

  test('may be that of any argument of attention', () => {
    // Large enough for threads to copy rows while others compute.
    const shape = [1, 2, 64, 64];
    const tensors = { query: random.tensor(shape), key: random.tensor(shape), value: random.tensor(shape) };
    const bias = random.tensor([1, 2, 64, 64]);
    const past = { pastKey: random.tensor(shape), pastValue: random.tensor(shape) };
    const call = (given: typeof tensors & { bias: Tensor } & typeof past, options: AttentionOptions) => {
      const { query, key, value, bias, ...rest } = given;
      return attention.scaledDotProductAttention(query, key, value, { bias, ...rest, ...options });
    };
    const all = { ...tensors, bias, ...past };
    const expected = call(all, { needLogSumExp: true });
    for (const name of Object.keys(all) as (keyof typeof all)[]) {
      const given = { ...all, [name]: copyOf(all[name]) };
      const output = given[name].data;
      const result = call(given, { needLogSumExp: true, out: { output } });
      expect(result.output.data).toBe(output);
      expect(same(result, expected)).toBe(true);
    }
    const alone = attention.scaledDotProductAttention(tensors.query, tensors.key, tensors.value);
    for (const name of ['query', 'key', 'value'] as const) {
      const given = { ...tensors, [name]: copyOf(tensors[name]) };
      const { query, key, value } = given;
      const { output } = attention.scaledDotProductAttention(query, key, value, { out: { output: given[name].data } }); // prettier-ignore
      expect(same(output, alone.output)).toBe(true);
    }
  });

  test('may overlap an argument', () => {
    // Threads copy inputs and results while they compute, so this must not depend on their order.
    const shape = [1, 8, 128, 64];
    const size = 8 * 128 * 64;
    const layer = new attention.Linear({ inFeatures: 64, outFeatures: 64, seed: 1 });
    const [query, key] = [random.tensor(shape), random.tensor(shape)];
    const expected = attention.scaledDotProductAttention(query, key, key).output;
    const product = layer.forward(query).output;
    for (const shift of [64 * 128, -64 * 128, 5]) {
      const overlapping = (tensor: Tensor): [Tensor, Float32Array] => {
        const memory = new Float32Array(3 * size);
        memory.set(tensor.data, size);
        const output = memory.subarray(size + shift, 2 * size + shift);
        return [{ data: memory.subarray(size, 2 * size), shape }, output];
      };
      const [q, overQuery] = overlapping(query);
      expect(same(attention.scaledDotProductAttention(q, key, key, { out: { output: overQuery } }).output, expected)).toBe(true); // prettier-ignore
      const [k, overKey] = overlapping(key);
      expect(same(attention.scaledDotProductAttention(query, k, k, { out: { output: overKey } }).output, expected)).toBe(true); // prettier-ignore
      const [x, overInput] = overlapping(query);
      expect(same(layer.forward(x, { out: { output: overInput } }).output, product)).toBe(true);
    }
  });

  test('may be the positions of an encoding', () => {
    const positions = random.tensor([8]).data;
    const expected = attention.sinusoidalEncoding({ dim: 1, positions });
    const out = positions.slice();
    expect(same(attention.sinusoidalEncoding({ dim: 1, positions: out, out }), expected)).toBe(true);
  });

  test('may replace its own methods, and gets the result nevertheless', () => {
    const out = new Float32Array(3 * 4);
    Object.assign(out, { set: () => undefined, subarray: () => new Float32Array(1), fill: () => out });
    expect(attention.sinusoidalEncoding({ length: 3, dim: 4, out }).data).toBe(out);
    expect(Array.from(out)).toEqual(Array.from(attention.sinusoidalEncoding({ length: 3, dim: 4 }).data));
    const embedding = new attention.Embedding({ numEmbeddings: 2, dim: 2 });
    const input = Object.assign(Float32Array.of(5, 5), { fill: () => input, set: () => undefined });
    embedding.forward([0, 1], { training: true }).backward!([[1, 1], [1, 1]], { out: { input } }); // prettier-ignore
    expect(Array.from(input)).toEqual([0, 0]);
  });
});

describe('a call within a call', () => {
  const layer = multiHead();
  afterAll(() => layer.dispose());
  /** The options, of which one is read by running code of the caller's. */
  const running = (run: () => unknown, rest: object = {}): LayerForwardOptions => ({
    ...rest,
    get needWeights(): boolean {
      run();
      return true;
    },
  });
  /** A tensor whose shape is read by running code of the caller's. */
  const runningTensor = (run: () => unknown, { data, shape }: Tensor = x): TensorLike => ({
    data,
    get shape() {
      run();
      return shape;
    },
  });

  test('has its own result, and so has the outer one', () => {
    const y = random.tensor([1, 3, width]);
    const plain = [layer.forward(x, x, x, { needWeights: true }), layer.forward(y, y, y)];
    let inner: unknown;
    const run = () => (inner = layer.forward(y, y, y));
    expect(same([layer.forward(x, x, x, running(run)), inner], plain)).toBe(true);
    inner = undefined;
    expect(same([layer.forward(runningTensor(run), x, x, { needWeights: true }), inner], plain)).toBe(true);
    inner = undefined;
    const bias = runningTensor(run, { data: new Float32Array(4), shape: [1, 4] });
    layer.forward(x, x, x, { bias });
    expect(same(inner, plain[1])).toBe(true);
  });

  test.each(ALL_LAYERS.filter(({ operation }) => operation !== 'MultiHeadAttention'))(
    'that disposes the layer is noticed: $title',
    ({ make, operation }) => {
      const x = new Random(1).tensor([2, 3, 6]);
      const input =
        operation === 'Embedding' ? { data: Float32Array.of(4, 0, 2, 4, 1, 3), shape: [2, 3] } : x;
      const inUse = (layer: unknown) => layer as Layer;
      const call = (layer: Layer, x: TensorLike, options?: object) =>
        operation === 'TransformerDecoderLayer'
          ? (layer as unknown as TransformerDecoderLayer).forward(x, input, options)
          : layer.forward(x, options);
      for (const forward of [
        (layer: Layer) =>
          call(layer, input, {
            get out() {
              layer.dispose();
              return undefined;
            },
          }),
        (layer: Layer) =>
          call(
            layer,
            runningTensor(() => layer.dispose(), input),
          ),
      ]) {
        expect(() => forward(inUse(make().layer))).toThrow(/got a disposed one$/);
      }
      const { layer, forward } = make();
      const { output, backward } = forward({ training: true });
      const gradient = runningTensor(() => layer.dispose(), output);
      expect(() => backward!(gradient)).toThrow(/got a disposed one$/);
    },
  );

  test('that disposes the layer is noticed wherever a layer reads', () => {
    const make = () => new attention.Linear({ inFeatures: 2, outFeatures: 2 });
    const state = make().stateDict();
    const loading = make();
    expect(() =>
      loading.loadStateDict({ ...state, weight: runningTensor(() => loading.dispose(), state.weight) }),
    ).toThrow(/got a disposed one$/);
    const setting = make();
    const numbers = { length: 2, 1: 1, get 0() { setting.dispose(); return 0; } }; // prettier-ignore
    expect(() => setting.parameters()[1]!.set(numbers)).toThrow(/got a disposed one$/);
    const optimized = make();
    const parameters = function* () {
      yield* optimized.parameters();
      optimized.dispose();
    };
    expect(() => new attention.Adam(parameters())).toThrow(/got a disposed one$/);
    const heads = multiHead();
    expect(() =>
      heads.forward(
        x,
        x,
        x,
        running(() => heads.dispose()),
      ),
    ).toThrow(/got a disposed one$/);
    const caching = multiHead();
    const options = { batch: 1, get maxLength() { caching.dispose(); return 1; } }; // prettier-ignore
    expect(() => caching.createCache(options)).toThrow(/got a disposed one$/);
  });

  test('of backward is the one call that there may be', () => {
    const { backward } = layer.forward(x, x, x, { training: true });
    expect(() => backward!(runningTensor(() => backward!(g), g))).toThrow(/got a second one$/);
  });

  test('cannot fill a cache beyond its end', () => {
    const cache = layer.createCache({ batch, maxLength: length });
    const run = () => cache.length === 0 && layer.forward(x, x, x, { cache });
    const bias = runningTensor(run, { data: new Float32Array(4), shape: [1, 4] });
    expect(() => layer.forward(x, x, x, { cache, bias })).toThrow(/a cache that the call alone changes/);
    expect(cache.length).toBe(length);
    cache.reset();
    expect(() => layer.forward(x, x, x, running(run, { cache }))).toThrow(/at most 0 more tokens/);
    expect(cache.length).toBe(length);
    cache.reset();
    const disposing = runningTensor(() => cache.dispose(), { data: new Float32Array(4), shape: [1, 4] });
    expect(() => layer.forward(x, x, x, { cache, bias: disposing })).toThrow(/got a disposed one$/);
  });
});

describe('an array whose iterator yields one value', () => {
  const lying = <T extends object>(array: T): T =>
    Object.defineProperty(array, Symbol.iterator, {
      *value() {
        yield 1;
      },
    });
  const numbers = Array.from(new Random(3).tensor([64]).data);
  const embedding = new attention.Embedding({ numEmbeddings: 4, dim: 2, seed: 1 });
  const ids = numbers.map((_, i) => i % 4);
  const heads = random.tensor([4, 16, 4]);
  const logits = random.tensor([4, 4]);
  const calls: Record<string, [readonly number[], (data: ArrayLike<number>) => unknown]> = {
    'a softmax': [numbers, (data) => attention.maskedSoftmax({ data: data as Float32Array, shape: [4, 4, 4] })],
    'attention': [numbers, (data) => attention.scaledDotProductAttention(heads, heads, heads, { bias: { data: data as Float32Array, shape: [4, 1, 16] } })],
    'valid lengths': [ids.slice(0, 4), (validLens) => attention.scaledDotProductAttention(heads, heads, heads, { validLens })],
    'rotary positions': [ids.slice(0, 16), (positions) => attention.rotaryEmbedding(heads, { positions })],
    'positions of an encoding': [numbers, (positions) => attention.sinusoidalEncoding({ dim: 2, positions })],
    'classes': [ids.slice(0, 4), (targets) => attention.softmaxCrossEntropy(logits, targets)],
    'ids': [ids, (data) => embedding.forward({ data: data as Float32Array, shape: [64] })],
  }; // prettier-ignore
  const kinds: { from(values: readonly number[]): ArrayLike<number> }[] = [
    Float32Array,
    Float64Array,
    Int32Array,
    Array,
  ];
  test.each(Object.keys(calls))('is read by its elements: %s', (name) => {
    const [values, call] = calls[name]!;
    for (const kind of kinds) {
      const expected = call(kind.from(values));
      // Leaves other values where the next call's arguments go.
      attention.maskedSoftmax(random.tensor([1, 16, 64]));
      expect(same(call(lying(kind.from(values))), expected)).toBe(true);
    }
  });
});

describe('array-likes', () => {
  const lengths: { 0: number; 1: number; length: number } = { 0: 3, 1: 2, length: 2 };
  const offsets = { 0: 0, 1: 1, length: 2 };
  test.each([
    ['MultiHeadAttention', multiHead],
    ['TransformerEncoderLayer', encoder],
  ] as const)(
    // prettier-ignore
    'mean in training what they mean without: %s',
    (_, makeLayer) => {
      const run = (options: LayerForwardOptions) => {
        const layer = makeLayer();
        return trained(layer, () => layer instanceof attention.MultiHeadAttention ? layer.forward(x, x, x, options) : layer.forward(x, options)); // prettier-ignore
      };
      const plain = { validLens: [3, 2], causalOffset: [0, 1], isCausal: true, alibiSlopes: [0.5, 0.25] };
      const like = { validLens: lengths, causalOffset: offsets, isCausal: true, alibiSlopes: { 0: 0.5, 1: 0.25, length: 2 } }; // prettier-ignore
      const expected = run({ ...plain, training: true });
      expect(same(run({ ...like, training: true }), expected)).toBe(true);
      const layer = makeLayer();
      const once = (options: LayerForwardOptions) =>
        layer instanceof attention.MultiHeadAttention
          ? layer.forward(x, x, x, options).output
          : layer.forward(x, options).output;
      expect(same(once(like), once(plain))).toBe(true);
    },
  );
});

describe('an array that shrinks while another argument is read is refused', () => {
  const shrinking = () => new Float32Array(new ArrayBuffer(4 * batch * length * width)).fill(0.5);
  const detach = ({ buffer }: Float32Array): void => void structuredClone(buffer, { transfer: [buffer] });

  test.each([
    [
      'maskedSoftmax',
      (scores: TensorLike, shrink: () => void) =>
        attention.maskedSoftmax(scores, { get data() { shrink(); return [1, 2]; }, shape: [batch] }), // prettier-ignore
    ],
    [
      'rotaryEmbedding',
      (input: TensorLike, shrink: () => void) =>
        attention.rotaryEmbedding(input, { positions: { get data() { shrink(); return [0, 1, 2, 3]; }, shape: [length] } }), // prettier-ignore
    ],
  ])('by %s', (operation, call) => {
    const data = shrinking();
    const given = { data, shape: [batch, length, width] };
    expect(() => call(given, () => detach(data))).toThrow(`${operation}: expected`);
  });
});
