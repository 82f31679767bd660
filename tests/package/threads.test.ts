import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { load, WasmAttention } from 'wasm-attention';
import { Random } from '../support/random.js';
import { evaluate, ROOT } from './support.js';

// Several threads on a busy machine wait for each other.
jest.setTimeout(60_000);

const THREAD_BUILTINS = process.getBuiltinModule('node:worker_threads') as {
  Worker: typeof import('node:worker_threads').Worker;
};
const { Worker } = THREAD_BUILTINS;

/** A copy of the package that nothing was loaded into yet. */
async function fresh(): Promise<{ load: typeof load }> {
  jest.resetModules();
  return import('wasm-attention');
}

/** The workers that start from here on; `change` may alter what they are sent. */
function watchWorkers(change = (message: object): object => message): InstanceType<typeof Worker>[] {
  const workers: InstanceType<typeof Worker>[] = [];
  THREAD_BUILTINS.Worker = class extends Worker {
    constructor(...args: ConstructorParameters<typeof Worker>) {
      super(...args);
      workers.push(this);
    }
    override postMessage(message: object): void {
      super.postMessage(change(message));
    }
  };
  return workers;
}

let warnings: string[] = [];
function watchConsole(): void {
  warnings = [];
  jest.spyOn(console, 'warn').mockImplementation((line: string) => void warnings.push(line));
}

afterEach(() => {
  jest.restoreAllMocks();
  THREAD_BUILTINS.Worker = Worker;
});

const random = new Random(7);
const [Q, K, V, G] = [0, 1, 2, 3].map(() => random.tensor([2, 4, 200, 24])) as [
  ReturnType<Random['tensor']>,
  ReturnType<Random['tensor']>,
  ReturnType<Random['tensor']>,
  ReturnType<Random['tensor']>,
];
const X = random.tensor([4, 160, 96]);

/** Work that is shared, of every kind that there is; far above what waking a thread is worth. */
const WORKS: Record<string, (attention: WasmAttention) => readonly { readonly data: ArrayLike<number> }[]> = {
  'attention with its weights': (attention) => {
    const { output, weights, logSumExp } = attention.scaledDotProductAttention(Q, K, V, {
      isCausal: true,
      needWeights: true,
      needLogSumExp: true,
      dropout: 0.1,
      seed: 3,
    });
    return [output, weights!, logSumExp!];
  },
  'attention with relative tables and valid lengths': (attention) => {
    return [
      attention.scaledDotProductAttention(Q, K, V, {
        relativeKeys: { data: Q.data.slice(0, 9 * 24), shape: [9, 24] },
        validLens: [200, 61],
        softcap: 4,
      }).output,
    ];
  },
  'attention with tables of relative keys for each head': (attention) => {
    const relativeKeys = { data: Q.data.slice(0, 4 * 9 * 24), shape: [4, 9, 24] };
    return [attention.scaledDotProductAttention(Q, K, V, { relativeKeys }).output];
  },
  'grouped queries behind past keys': (attention) => {
    const [pastKey, pastValue] = [K, V].map(({ data }) => ({
      data: data.slice(0, 2 * 2 * 100 * 24),
      shape: [2, 2, 100, 24],
    }));
    const [key, value] = [K, V].map(({ data }) => ({
      data: data.slice(0, 2 * 2 * 200 * 24),
      shape: [2, 2, 200, 24],
    }));
    const { output, presentKey, presentValue } = attention.scaledDotProductAttention(Q, key!, value!, {
      pastKey,
      pastValue,
      isCausal: true,
    });
    return [output, presentKey!, presentValue!];
  },
  'attention into an array of the caller, that of its query': (attention) => {
    const query = { data: Float32Array.from(Q.data), shape: Q.shape };
    const { output } = attention.scaledDotProductAttention(query, K, V, { out: { output: query.data } });
    expect(output.data).toBe(query.data);
    return [output];
  },
  'a product into an array of the caller, that of its input': (attention) => {
    const layer = new attention.Linear({ inFeatures: 96, outFeatures: 96, seed: 1 });
    const x = { data: Float32Array.from(X.data), shape: X.shape };
    const { output } = layer.forward(x, { out: { output: x.data } });
    layer.dispose();
    expect(output.data).toBe(x.data);
    return [output];
  },
  'a product of few rows': (attention) => {
    const layer = new attention.Linear({ inFeatures: 640, outFeatures: 1000, seed: 1 });
    const { output } = layer.forward({ data: X.data.slice(0, 7 * 640), shape: [7, 640] });
    layer.dispose();
    return [output];
  },
  'one query against many keys': (attention) => {
    const query = { data: Q.data.slice(0, 2 * 4 * 24), shape: [2, 4, 1, 24] };
    return [attention.scaledDotProductAttention(query, K, V).output];
  },
  'gradients of attention': (attention) => {
    const { query, key, value } = attention.scaledDotProductAttentionBackward(G, Q, K, V, { isCausal: true });
    return [query, key, value];
  },
  'gradients of a bias': (attention) => {
    const bias = { data: Q.data.slice(0, 200), shape: [1, 1, 1, 200] };
    const { query, bias: gradBias } = attention.scaledDotProductAttentionBackward(G, Q, K, V, { bias });
    return [query, gradBias!];
  },
  'multi-head attention': (attention) => {
    const layer = new attention.MultiHeadAttention({ numHiddens: 96, numHeads: 8, seed: 1 });
    const { output, weights } = layer.forward(X, X, X, { needWeights: true });
    layer.dispose();
    return [output, weights!];
  },
  'a linear layer and its gradients': (attention) => {
    const layer = new attention.Linear({ inFeatures: 96, outFeatures: 300, seed: 1 });
    const { output, backward } = layer.forward(X, { training: true });
    const { input } = backward!(output);
    const gradients = layer.parameters().map(({ grad }) => ({ data: grad.slice() }));
    layer.dispose();
    return [output, input, ...gradients];
  },
  'an encoder layer': (attention) => {
    const layer = new attention.TransformerEncoderLayer({
      numHiddens: 96,
      numHeads: 8,
      ffnHiddens: 200,
      seed: 1,
    });
    const { output, backward } = layer.forward(X, { training: true });
    const { input } = backward!(output);
    const gradients = layer.parameters().map(({ grad }) => ({ data: grad.slice() }));
    layer.dispose();
    return [output, input, ...gradients];
  },
  'a masked softmax': (attention) => [attention.maskedSoftmax(Q, [200, 17])],
};

describe('load with threads', () => {
  test('says how many there are', async () => {
    const { load } = await fresh();
    expect((await load({ threads: 3 })).features).toEqual({ simd: 'simd128', threads: 3 });
  });

  test('leaves the first call to decide', async () => {
    const { load } = await fresh();
    const first = load({ threads: 2 });
    expect(load({ threads: 3 })).toBe(first);
    expect(load()).toBe(first);
    expect((await first).features.threads).toBe(2);
  });

  test('gives the same bits for any number of threads', async () => {
    const single = await (await fresh()).load();
    for (const threads of [2, 5]) {
      const attention = await (await fresh()).load({ threads });
      expect(attention.features.threads).toBe(threads);
      for (const [name, work] of Object.entries(WORKS)) {
        const expected = work(single);
        // Often enough for threads to meet in different ways.
        for (let round = 0; round < 3; ++round) {
          work(attention).forEach(({ data }, i) => {
            // Far faster than element by element.
            const same = Buffer.compare(bytesOf(data), bytesOf(expected[i]!.data)) === 0;
            expect({ name, threads, round, i, same }).toEqual({ name, threads, round, i, same: true });
          });
        }
      }
    }
  });

  test.each([0, -1, 1.5, 1e6, NaN, Infinity])('refuses %p, and the next call works', async (threads) => {
    const { load } = await fresh();
    await expect(load({ threads })).rejects.toThrow(
      new RangeError(`load: expected threads to be a whole number, within [1, 64], got ${threads}`),
    );
    expect((await load({ threads: 2 })).features.threads).toBe(2);
  });

  test('refuses a string that looks like a number, and shows that it is one', async () => {
    const { load } = await fresh();
    await expect(load({ threads: '2' as never })).rejects.toThrow(
      new TypeError("load: expected threads to be a number, got '2'"),
    );
  });
});

describe('load with threads falls back to one, says why in one line, and works', () => {
  const expectOne = async (reason: RegExp): Promise<void> => {
    watchConsole();
    const { load } = await fresh();
    const attention = await load({ threads: 4 });
    expect(attention.features.threads).toBe(1);
    expect(warnings).toEqual([expect.stringMatching(/^load: expected 4 threads, got 1: /)]);
    expect(warnings[0]).toMatch(reason);
    expect(attention.maskedSoftmax([[[0, 0]]]).data).toEqual(Float32Array.of(0.5, 0.5));
  };

  test('without SharedArrayBuffer', async () => {
    const { SharedArrayBuffer } = globalThis;
    Reflect.deleteProperty(globalThis, 'SharedArrayBuffer');
    try {
      await expectOne(/cross-origin isolated/);
    } finally {
      globalThis.SharedArrayBuffer = SharedArrayBuffer;
    }
  });

  test('where a worker cannot be started', async () => {
    THREAD_BUILTINS.Worker = function () {
      throw new Error('blocked by a policy');
    } as never;
    await expectOne(/blocked by a policy/);
  });

  test('where one does not come up', async () => {
    watchWorkers((message) => ({ ...message, module: 'nothing' }));
    await expectOne(/./);
  });

  test('with a wasm of the caller', async () => {
    watchConsole();
    const { load } = await fresh();
    const attention = await load({ threads: 4, wasm: readFileSync(join(ROOT, 'dist/wasm-attention.wasm')) });
    expect(attention.features.threads).toBe(1);
    expect(warnings).toEqual(['load: expected 4 threads, got 1: the wasm given is for one']);
  });
});

test('a load that fails starts no threads, and can be tried again', async () => {
  watchConsole();
  const workers = watchWorkers();
  const { load } = await fresh();
  const { instantiate } = WebAssembly;
  const refuse = () => Promise.reject(new RangeError('out of memory'));
  WebAssembly.instantiate = refuse;
  try {
    for (let attempt = 0; attempt < 3; ++attempt) {
      await expect(load({ threads: 3 })).rejects.toThrow('out of memory');
    }
  } finally {
    WebAssembly.instantiate = instantiate;
  }
  expect(workers).toHaveLength(0);
  expect((await load({ threads: 3 })).features.threads).toBe(3);
  expect(workers).toHaveLength(2);
});

test('a caller that is busy for long while threads start has them', async () => {
  jest.useFakeTimers({ now: 0, doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
  try {
    const { load } = await fresh();
    const loading = load({ threads: 2 });
    while (jest.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve));
    // As if all that time had gone by within one turn: the worker's answer is read in the next one.
    jest.advanceTimersByTime(10_000);
    expect((await loading).features.threads).toBe(2);
  } finally {
    jest.useRealTimers();
  }
});

describe('a thread that dies', () => {
  const expectWorking = (attention: WasmAttention, expected: ArrayLike<number>): void => {
    const { output } = attention.scaledDotProductAttention(Q, K, V);
    expect(Buffer.compare(bytesOf(output.data), bytesOf(expected))).toBe(0);
  };

  test('between two calls leaves one that works', async () => {
    const expected = (await (await fresh()).load()).scaledDotProductAttention(Q, K, V).output.data;
    const workers = watchWorkers();
    const attention = await (await fresh()).load({ threads: 3 });
    expectWorking(attention, expected);
    expect(workers).toHaveLength(2);
    await workers[0]!.terminate();
    expectWorking(attention, expected);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(attention.features.threads).toBe(1);
    expectWorking(attention, expected);
  });

  test('in the middle of a call makes that call throw, and leaves one that works', async () => {
    const expected = (await (await fresh()).load()).scaledDotProductAttention(Q, K, V).output.data;
    // A stack that ends below address 0: the first function that needs some traps.
    watchWorkers((message) => ({ ...message, stack: 0 }));
    const attention = await (await fresh()).load({ threads: 2 });
    const attempt = (): void => {
      for (let call = 0; call < 1000; ++call) expectWorking(attention, expected);
    };
    expect(attempt).toThrow(/expected every thread to answer, got one that died/);
    expect(attention.features.threads).toBe(1);
    expectWorking(attention, expected);
  });
});

describe('a call that ends in the middle leaves threads that work', () => {
  const pair = async (): Promise<{ attention: WasmAttention; expected: Float32Array }> => {
    const expected = (await (await fresh()).load()).scaledDotProductAttention(Q, K, V).output.data;
    return { attention: await (await fresh()).load({ threads: 3 }), expected };
  };
  const expectWorking = ({ attention, expected }: Awaited<ReturnType<typeof pair>>): void => {
    for (let call = 0; call < 5; ++call) {
      const { output } = attention.scaledDotProductAttention(Q, K, V);
      expect(Buffer.compare(bytesOf(output.data), bytesOf(expected))).toBe(0);
    }
    expect(attention.features.threads).toBe(3);
  };

  test('where the stack is full', async () => {
    const loaded = await pair();
    const names: string[] = [];
    let level = 0;
    const descend = (): void => {
      try {
        descend();
      } catch {
        // Full: from here on up there is more and more room.
      }
      // A call takes as much of the stack as some hundreds of these.
      if (++level % 40 !== 0 || names.at(-1) === '') return;
      try {
        loaded.attention.scaledDotProductAttention(Q, K, V);
        names.push('');
      } catch (error) {
        names.push((error as Error).name);
      }
    };
    descend();
    expect(new Set(names)).toEqual(new Set(['RangeError', '']));
    expectWorking(loaded);
  });

  test('where the array for the output shrinks meanwhile', async () => {
    const loaded = await pair();
    const buffer = new (
      ArrayBuffer as unknown as new (
        bytes: number,
        options: { maxByteLength: number },
      ) => ArrayBuffer & { resize(bytes: number): void }
    )(Q.data.length * 4, { maxByteLength: Q.data.length * 4 });
    const output = new Float32Array(buffer);
    let looks = 0;
    class Bias extends Float32Array {
      // Looked at after the output's length was.
      override get length(): number {
        if (++looks > 2) buffer.resize(8);
        return 200;
      }
    }
    const bias = { data: new Bias(200), shape: [1, 1, 1, 200] };
    expect(() => loaded.attention.scaledDotProductAttention(Q, K, V, { bias, out: { output } })).toThrow();
    expect(buffer.byteLength).toBe(8);
    expectWorking(loaded);
  });

  test('where there is no room for the output, or not at first', async () => {
    const loaded = await pair();
    for (const failures of [1, Infinity]) {
      let left = failures;
      let refused = 0;
      const { Float32Array: Floats } = globalThis;
      globalThis.Float32Array = new Proxy(Floats, {
        construct(target, args: [number, number?, number?], newTarget: typeof Floats) {
          const made = Reflect.construct(target, args, newTarget) as Float32Array;
          const fresh = !ArrayBuffer.isView(args[0]) && args[1] === undefined;
          if (fresh && made.length === loaded.expected.length && left-- > 0 && ++refused)
            throw new RangeError('no room');
          return made;
        },
      });
      let data: Float32Array;
      try {
        ({ data } = loaded.attention.scaledDotProductAttention(Q, K, V).output);
      } finally {
        globalThis.Float32Array = Floats;
      }
      expect(refused).toBeGreaterThan(0);
      expect(Buffer.compare(bytesOf(data), bytesOf(loaded.expected))).toBe(0);
      expectWorking(loaded);
    }
  });
});

test('what an array says of itself changes nothing', async () => {
  const expected = (await (await fresh()).load()).scaledDotProductAttention(Q, K, V).output.data;
  const attention = await (await fresh()).load({ threads: 2 });
  class Query extends Float32Array {
    static get [Symbol.species](): Float32ArrayConstructor {
      throw new Error('asked for a class');
    }
    override get buffer(): ArrayBuffer {
      return new ArrayBuffer(super.buffer.byteLength);
    }
    override get byteOffset(): number {
      return 4;
    }
    override subarray(): never {
      throw new Error('asked for a part');
    }
  }
  const { output } = attention.scaledDotProductAttention({ data: new Query(Q.data), shape: Q.shape }, K, V);
  expect(Buffer.compare(bytesOf(output.data), bytesOf(expected))).toBe(0);
});

test('threads keep no process alive', () => {
  // It would wait for its end for two minutes, and then fail.
  const threads = evaluate(`
    import { load } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)};
    const attention = await load({ threads: 4 });
    const x = attention.tensor(new Float32Array(4 * 512 * 64), [1, 4, 512, 64]);
    attention.scaledDotProductAttention(x, x, x);
    console.log(attention.features.threads);
  `);
  expect(threads).toBe(4);
});

function bytesOf(data: ArrayLike<number>): Buffer {
  const { buffer, byteOffset, byteLength } = data as Float32Array;
  return Buffer.from(buffer, byteOffset, byteLength);
}
