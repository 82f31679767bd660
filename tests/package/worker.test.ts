import { load, type WasmAttention } from 'wasm-attention';
import { loadWorker, type AsyncWasmAttention } from 'wasm-attention/worker';
import { outcome } from '../support/outcome.js';

let here: WasmAttention;
let there: AsyncWasmAttention;

beforeAll(async () => {
  here = await load();
  there = await loadWorker();
});
afterAll(() => there.dispose());

/** Pseudo-random numbers between -1 and 1. */
const tensor = (...shape: number[]) => ({
  data: Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => Math.sin(i * i + shape.length)),
  shape,
});
describe('the module in a worker', () => {
  const [q, k, v] = [tensor(2, 3, 4), tensor(2, 5, 4), tensor(2, 5, 6)];
  type Call = (attention: WasmAttention) => unknown;
  // One list for both: results of functions are awaited there.
  const calls: Record<string, Call> = {
    tensor: (a) =>
      a.tensor([
        [1, 2],
        [3, 4],
      ]),
    scaledDotProductAttention: (a) =>
      a.scaledDotProductAttention(q, k, v, { validLens: [2, 5], needWeights: true, needLogSumExp: true }),
    scaledDotProductAttentionBackward: (a) =>
      a.scaledDotProductAttentionBackward(tensor(2, 3, 6), q, k, v, { isCausal: true }),
    maskedSoftmax: (a) => a.maskedSoftmax([[[1, 2, 3]]], [2]),
    additiveAttention: (a) => a.additiveAttention(q, k, v, { Wq: tensor(7, 4), Wk: tensor(7, 4), wv: tensor(1, 7) }),
    sinusoidalEncoding: (a) => a.sinusoidalEncoding({ length: 9, dim: 5 }),
    rotaryEmbedding: (a) => a.rotaryEmbedding(q, { offset: 3 }),
    alibiSlopes: (a) => a.alibiSlopes(12),
    t5RelativeBuckets: (a) => a.t5RelativeBuckets({ queryLength: 7 }),
    complexity: (a) => a.complexity('cnn', { n: 9, d: 4 }),
    softmaxCrossEntropy: (a) => a.softmaxCrossEntropy(tensor(3, 4), new Set([0, 1, 3]) as never),
  };

  it.each(Object.keys(calls))('%s gives what the synchronous one gives', async (name) => {
    const call = calls[name]!;
    // softmaxCrossEntropy gets invalid arguments: both must refuse them alike.
    const expected = await outcome(() => call(here));
    expect(await outcome(() => call(there as never))).toEqual(expected);
    // A transferred result does not affect the worker.
    expect(await outcome(() => call(there as never))).toEqual(expected);
  });

  it('has every member of the synchronous one', () => {
    const members = Object.keys(here).filter((name) => !['version', 'features'].includes(name));
    expect(Object.keys(there)).toEqual(expect.arrayContaining(members));
  });

  it('has properties as promises', async () => {
    expect(await there.version).toBe(here.version);
    expect(await there.features).toEqual(here.features);
  });

  it('makes calls in order, each with its arguments as they were', async () => {
    const x = tensor(1, 4, 4);
    const expected = here.relativeShift(x);
    const calls = [there.relativeShift(x), there.relativeShift(x)];
    x.data.fill(0);
    expect(await Promise.all(calls)).toEqual([expected, expected]);
    expect((await there.relativeShift(x)).data.every((value) => value === 0)).toBe(true);
  });

  it('copies only the viewed part of a buffer', async () => {
    const whole = new Float32Array(100).map((_, i) => i);
    const scores = { data: whole.subarray(10, 13), shape: [1, 3] };
    expect(await there.maskedSoftmax(scores)).toEqual(here.maskedSoftmax(scores));
    expect(whole).toHaveLength(100);
  });

  it('accepts tensors of classes with accessors', async () => {
    class Foreign {
      get data() {
        return new Float32Array([1, 2, 3]);
      }
      get dims() {
        return [1, 3];
      }
    }
    expect(await there.maskedSoftmax(new Foreign())).toEqual(here.maskedSoftmax([[1, 2, 3]]));
  });
});

describe('layers in a worker', () => {
  const x = tensor(2, 3, 8);

  it('learn as they do outside: forward, backward, step', async () => {
    const options = { numHiddens: 8, numHeads: 2, ffnHiddens: 16, seed: 5, dropout: 0.25 };
    const layer = new here.TransformerEncoderLayer(options);
    const adam = new here.Adam(layer.parameters(), { lr: 0.1 });
    const remote = await new there.TransformerEncoderLayer(options);
    const remoteAdam = await new there.Adam(await remote.parameters(), { lr: 0.1 });
    for (const lr of [0.1, 0.05]) {
      adam.lr = lr;
      await remoteAdam.assign({ lr });
      const { output, backward } = layer.forward(x, { training: true });
      const answered = await remote.forward(x, { training: true });
      expect(answered.output).toEqual(output);
      expect(await answered.backward!(output)).toEqual(backward!(output));
      adam.step();
      await remoteAdam.step();
    }
    expect(await remoteAdam.lr).toBe(0.05);
    expect(await remote.stateDict()).toEqual(layer.stateDict());
    const [parameter] = await remote.parameters();
    expect(await parameter!.grad).toEqual(layer.parameters()[0]!.grad);
    await Promise.all([remote.dispose(), remoteAdam.dispose()]);
    adam.dispose();
    layer.dispose();
  });

  it('keep a cache', async () => {
    const options = { numHiddens: 8, numHeads: 2, seed: 1 };
    const layer = new here.MultiHeadAttention(options);
    const cache = layer.createCache({ batch: 2, maxLength: 6 });
    const remote = await new there.MultiHeadAttention(options);
    const remoteCache = await remote.createCache({ batch: 2, maxLength: 6 });
    for (let step = 0; step < 2; ++step) {
      const { output } = await remote.forward(x, x, x, { cache: remoteCache, isCausal: true });
      expect(output).toEqual(layer.forward(x, x, x, { cache, isCausal: true }).output);
    }
    expect(await remoteCache.length).toBe(6);
    await remote[Symbol.asyncDispose]();
    layer.dispose();
  });

  it('throw on use after dispose, as they do outside', async () => {
    const remote = await new there.Linear({ inFeatures: 8, outFeatures: 2 });
    const layer = new here.Linear({ inFeatures: 8, outFeatures: 2 });
    await remote.dispose();
    layer.dispose();
    expect(await outcome(() => remote.forward(x))).toEqual(await outcome(() => layer.forward(x)));
  });
});

describe('errors', () => {
  const mistakes: Record<string, (attention: WasmAttention) => unknown> = {
    'of shape': (a) => a.scaledDotProductAttention([[1]], [[1, 2]], [[1]]),
    'of kind': (a) => a.maskedSoftmax('scores' as never),
    'of an option': (a) => a.sinusoidalEncoding({ length: -1, dim: 4 }),
    'that cannot be cloned': (a) => a.maskedSoftmax((() => 1) as never),
    'of a class': (a) => new a.Linear({ inFeatures: 0, outFeatures: 1 }),
    'of what is no parameter': (a) => new a.Adam([{} as never]),
    'of memory': (a) => a.sinusoidalEncoding({ length: 2 ** 24, dim: 2 ** 10 }),
  };

  it.each(Object.keys(mistakes))('%s have the same class and message', async (name) => {
    const expected = await outcome(() => mistakes[name]!(here));
    expect(expected).toHaveProperty('thrown');
    expect(await outcome(() => mistakes[name]!(there as never))).toEqual(expected);
    await expect(there.alibiSlopes(2)).resolves.toBeDefined();
  });
});

describe('transfer', () => {
  it('copies by default', async () => {
    const x = tensor(1, 4, 4);
    await there.relativeShift(x);
    expect(x.data).toHaveLength(16);
  });

  it('detaches all inputs, or the given ones', async () => {
    const [q, k, v] = [tensor(2, 3), tensor(2, 3), tensor(2, 3)];
    const expected = here.scaledDotProductAttention(q, k, v);
    const [q2, k2, v2] = [tensor(2, 3), tensor(2, 3), tensor(2, 3)];
    expect(await there.with({ transfer: true }).scaledDotProductAttention(q, k, v)).toEqual(expected);
    expect([q, k, v].map(({ data }) => data.length)).toEqual([0, 0, 0]);
    expect(await there.with({ transfer: [q2.data, v2.data.buffer] }).scaledDotProductAttention(q2, k2, v2)).toEqual(
      expected,
    );
    expect([q2, k2, v2].map(({ data }) => data.length)).toEqual([0, 6, 0]);
  });
});

describe('loadWorker', () => {
  it('accepts a wasm as load does, and passes its errors on', async () => {
    const bytes = await import('node:fs').then(({ readFileSync }) => readFileSync('dist/wasm-attention.wasm'));
    const module = await WebAssembly.compile(bytes);
    for (const wasm of [bytes, module, new Response(bytes)]) {
      const attention = await loadWorker({ wasm });
      expect(await attention.alibiSlopes(8)).toEqual(here.alibiSlopes(8));
      attention.dispose();
    }
    await expect(loadWorker({ wasm: new Uint8Array(3) })).rejects.toThrow(/^load: expected the wasm/);
    await expect(loadWorker({ threads: 0 })).rejects.toThrow(RangeError);
    await expect(loadWorker({ worker: 3 as never })).rejects.toThrow(
      new TypeError('loadWorker: expected worker to be a URL or a function that starts one, got 3'),
    );
  });
});
