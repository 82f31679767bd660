/** Calls within calls: reading an argument may run code of the caller's, which may call the library again. */
import { afterAll, describe, expect, test } from '@jest/globals';
import type { Layer, LayerForwardOptions, Tensor, TensorLike, TransformerDecoderLayer } from 'wasm-attention';
import { ALL_LAYERS } from '../support/allLayers.js';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';
import { same } from '../support/same.js';

const random = new Random(11);
const [batch, length, width] = [2, 4, 8];
const x = random.tensor([batch, length, width]);
const g = random.tensor([batch, length, width]);
const multiHead = () => new attention.MultiHeadAttention({ numHiddens: width, numHeads: 2, seed: 1, bias: true });

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
      const input = operation === 'Embedding' ? { data: Float32Array.of(4, 0, 2, 4, 1, 3), shape: [2, 3] } : x;
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
    const numbers = {
      length: 2,
      1: 1,
      get 0() {
        setting.dispose();
        return 0;
      },
    };
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
    const options = {
      batch: 1,
      get maxLength() {
        caching.dispose();
        return 1;
      },
    };
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
