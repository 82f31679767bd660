/** What ends calls and workers, and what remains. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Worker } from 'node:worker_threads';
import { load, type Tensor, type WasmAttention } from 'wasm-attention';
import { loadWorker, type AsyncWasmAttention } from 'wasm-attention/worker';
import { webWorker } from '../support/webWorker.js';

let here: WasmAttention;
let there: AsyncWasmAttention;

beforeAll(async () => {
  here = await load();
  there = await loadWorker();
});
afterAll(() => there.dispose());

/** Work for far longer than a test may take, if nobody stops it: 262,144 queries, as many keys. */
const long = () => ({ data: new Float32Array(2 ** 18 * 64).fill(0.5), shape: [1, 1, 2 ** 18, 64] });

describe('a handle', () => {
  it('that is garbage-collected releases its object in the worker', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const posted: { action?: string; id?: number }[] = [];
    const attention = await loadWorker({
      worker: () => webWorker([], (message) => posted.push(message as object)),
    });
    const use = async (): Promise<void> => {
      const layer = await new attention.Linear({ inFeatures: 2, outFeatures: 2 });
      await layer.forward([[1, 2]]);
    };
    await use();
    const used = posted.find(({ action, id }) => action === 'call' && id !== 0)!.id;
    const released = () => posted.some(({ action, id }) => action === 'release' && id === used);
    for (let i = 0; i < 100 && !released(); ++i) {
      collect();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(released()).toBe(true);
    expect(await attention.alibiSlopes(8)).toEqual(here.alibiSlopes(8));
    attention.dispose();
  });
});

describe('a signal', () => {
  it('stops an attention of 262,144 queries in the middle; the next call works', async () => {
    const q = long();
    const layer = await new there.Linear({ inFeatures: 4, outFeatures: 4 });
    const { signal, abort } = controller();
    const call = there.with({ signal }).scaledDotProductAttention(q, q, q);
    const waiting = there.maskedSoftmax([[1, 1]]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    abort();
    await expect(call).rejects.toHaveProperty('name', 'AbortError');
    expect((await waiting).data).toEqual(new Float32Array([0.5, 0.5]));
    expect(await there.alibiSlopes(8)).toEqual(here.alibiSlopes(8));
    await expect(layer.forward([[1, 2, 3, 4]])).rejects.toThrow(
      new TypeError('Linear.forward: expected an object in use, got one lost with its worker'),
    );
  }, 30_000);

  it('removes a call from the queue without ending the worker', async () => {
    const layer = await new there.Linear({ inFeatures: 2, outFeatures: 2 });
    const { signal, abort } = controller();
    const first = there.alibiSlopes(4);
    const call = there.with({ signal }).alibiSlopes(8);
    abort();
    await expect(call).rejects.toHaveProperty('name', 'AbortError');
    expect(await first).toEqual(here.alibiSlopes(4));
    expect((await layer.forward([[1, 2]])).output.shape).toEqual([1, 2]);
  });

  it('that has already fired rejects without a call, with its reason', async () => {
    const reason = new Error('not wanted');
    await expect(there.with({ signal: AbortSignal.abort(reason) }).alibiSlopes(8)).rejects.toBe(reason);
  });

  it('that fires after the result changes nothing', async () => {
    const { signal, abort } = controller();
    const layer = await new there.Linear({ inFeatures: 2, outFeatures: 2 });
    await layer.with({ signal }).forward([[1, 2]]);
    abort();
    expect((await layer.forward([[1, 2]])).output.shape).toEqual([1, 2]);
  });
});

describe('the end of a worker', () => {
  it('by dispose rejects waiting calls and every later one', async () => {
    const attention = await loadWorker();
    const calls = [attention.alibiSlopes(8), attention.alibiSlopes(4)];
    attention.dispose();
    for (const call of [...calls, attention.alibiSlopes(2)]) {
      await expect(call).rejects.toThrow(new TypeError('alibiSlopes: expected a worker in use, got a disposed one'));
    }
  });

  it('by a crash rejects the call; the next one gets a new worker', async () => {
    const started: Worker[] = [];
    // Like a browser's worker, with what loadWorker needs of one.
    const attention = await loadWorker({ worker: () => webWorker(started) });
    const q = long();
    const call = attention.scaledDotProductAttention(q, q, q);
    await new Promise((resolve) => setTimeout(resolve, 200));
    started[0]!.emit('error', new Error('out of luck'));
    await expect(call).rejects.toThrow(
      new TypeError('scaledDotProductAttention: expected a worker in use, got out of luck'),
    );
    expect(await attention.alibiSlopes(8)).toEqual(here.alibiSlopes(8));
    expect(started).toHaveLength(2);
    attention.dispose();
  }, 30_000);

  it('is reported at the start if the script is missing', async () => {
    const missing = loadWorker({ worker: new URL('./missing.js', import.meta.url) });
    await expect(missing).rejects.toThrow(/^loadWorker: expected a worker in use, got Cannot find module/);
  });
});

function controller(): { signal: AbortSignal; abort: () => void } {
  const made = new AbortController();
  return { signal: made.signal, abort: () => made.abort() };
}

describe('training holds no memory in the worker, however many steps it takes:', () => {
  const x = { data: new Float32Array(256 * 1024).fill(0.1), shape: [8, 128, 256] };
  // Attention keeps five times its input, a decoder layer ten times.
  const few = { data: x.data.slice(0, 64 * 1024), shape: [2, 128, 256] };
  const fewer = { data: x.data.slice(0, 32 * 1024), shape: [1, 128, 256] };
  type Forward = (attention: AsyncWasmAttention) => Promise<() => Promise<Pass>>;
  interface Pass {
    output: Tensor;
    backward?: (g: Tensor) => Promise<unknown>;
  }
  const training = { training: true };
  const layers: Record<string, Forward> = {
    Linear: async (a) => {
      const layer = await new a.Linear({ inFeatures: 256, outFeatures: 32 });
      return () => layer.forward(x, training);
    },
    LayerNorm: async (a) => {
      const layer = await new a.LayerNorm({ normalizedShape: 256 });
      return () => layer.forward(x, training);
    },
    FeedForward: async (a) => {
      const layer = await new a.FeedForward({ numHiddens: 256, ffnHiddens: 32 });
      return () => layer.forward(x, training);
    },
    TransformerDecoderLayer: async (a) => {
      const layer = await new a.TransformerDecoderLayer({ numHiddens: 256, numHeads: 4, ffnHiddens: 256 });
      return () => layer.forward(fewer, fewer, training);
    },
    RMSNorm: async (a) => {
      const layer = await new a.RMSNorm({ normalizedShape: 256 });
      return () => layer.forward(x, training);
    },
    GatedFeedForward: async (a) => {
      const layer = await new a.GatedFeedForward({ numHiddens: 256, ffnHiddens: 32 });
      return () => layer.forward(x, training);
    },
    MultiHeadAttention: async (a) => {
      const layer = await new a.MultiHeadAttention({ numHiddens: 256, numHeads: 4 });
      return () => layer.forward(few, few, few, training);
    },
  };
  it.each(Object.keys(layers))(
    '%s',
    async (name) => {
      const attention = await loadWorker();
      const forward = await layers[name]!(attention);
      const steps = async (count: number): Promise<number> => {
        for (let step = 0; step < count; ++step) {
          const { output, backward } = await forward();
          await backward!(output);
        }
        return process.memoryUsage().rss;
      };
      const before = await steps(40);
      // The pass of a step keeps at least a megabyte.
      expect((await steps(240)) - before).toBeLessThan(128 * 2 ** 20);
      attention.dispose();
    },
    240_000,
  );
});

it('the passes of a layer are released with it', async () => {
  const attention = await loadWorker();
  const layer = await new attention.Linear({ inFeatures: 2, outFeatures: 2 });
  const { backward } = await layer.forward([[1, 2]], { training: true });
  await layer.dispose();
  for (let call = 0; call < 2; ++call) {
    await expect(backward!([[1, 2]])).rejects.toThrow(
      /^Linear.backward: expected a layer in use, got '?a disposed one/,
    );
  }
  attention.dispose();
});
