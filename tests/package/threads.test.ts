import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { evaluate, ROOT } from './support.js';
import { same } from '../support/same.js';
import { WORKS } from '../support/sharedWorks.js';
import { fresh, replaceWorker, restoreWorker, watchWorkers } from '../support/threads.js';

// Several threads on a busy machine wait for each other.
jest.setTimeout(60_000);

let warnings: string[] = [];
function watchConsole(): void {
  warnings = [];
  jest.spyOn(console, 'warn').mockImplementation((line: string) => void warnings.push(line));
}

afterEach(() => {
  jest.restoreAllMocks();
  restoreWorker();
});

describe('load with threads', () => {
  test('reports how many there are', async () => {
    const { load } = await fresh();
    expect((await load({ threads: 3 })).features).toEqual({ simd: 'simd128', threads: 3 });
  });

  test('is decided by the first call', async () => {
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
        // Often enough for threads to interleave differently.
        for (let round = 0; round < 3; ++round) {
          work(attention).forEach(({ data }, i) => {
            const found = { name, threads, round, i, same: same(data, expected[i]!.data) };
            expect(found).toEqual({ ...found, same: true });
          });
        }
      }
    }
  });

  test.each([2.53e6, 20.3e6])('refuses sizes of working memory that no memory has: %p keys', async (count) => {
    const attention = await (await fresh()).load({ threads: 16 });
    const zeros = (rows: number) => ({ data: new Float32Array(rows), shape: [rows, 1] });
    const [query, keys] = [zeros(1), zeros(count)];
    expect(() => attention.scaledDotProductAttentionBackward(query, query, keys, keys)).toThrow(
      /^scaledDotProductAttentionBackward: expected \d{10,} free bytes, got out of memory$/,
    );
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

/** As on phones: the engine refuses a shared memory that may grow beyond so many bytes. */
async function withMemoryUpTo(bytes: number, act: () => Promise<void>): Promise<void> {
  const { Memory } = WebAssembly;
  class Small extends Memory {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      if (descriptor.shared && descriptor.maximum! * 2 ** 16 > bytes) throw new RangeError('no memory');
      super(descriptor);
    }
  }
  WebAssembly.Memory = Small;
  try {
    await act();
  } finally {
    WebAssembly.Memory = Memory;
  }
}

test('threads share a smaller memory where the engine refuses 4 GiB', async () => {
  watchConsole();
  await withMemoryUpTo(2 ** 29, async () => {
    const { load } = await fresh();
    const attention = await load({ threads: 2 });
    expect([attention.features.threads, warnings]).toEqual([2, []]);
    expect(attention.maskedSoftmax([[[0, 0]]]).data).toEqual(Float32Array.of(0.5, 0.5));
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
      await expectOne(/an engine without SharedArrayBuffer/);
    } finally {
      globalThis.SharedArrayBuffer = SharedArrayBuffer;
    }
  });

  test('if the page is not isolated', async () => {
    const { SharedArrayBuffer } = globalThis;
    Reflect.deleteProperty(globalThis, 'SharedArrayBuffer');
    Object.assign(globalThis, { crossOriginIsolated: false });
    try {
      await expectOne(/a page that is not cross-origin isolated/);
    } finally {
      Object.assign(globalThis, { SharedArrayBuffer });
      Reflect.deleteProperty(globalThis, 'crossOriginIsolated');
    }
  });

  test('if there is not even a small shared memory', async () => {
    await withMemoryUpTo(2 ** 20, () => expectOne(/no memory/));
  });

  test('if a worker cannot be started', async () => {
    replaceWorker(function () {
      throw new Error('blocked by a policy');
    } as never);
    await expectOne(/blocked by a policy/);
  });

  test('if one does not respond', async () => {
    watchWorkers((message) => ({ ...message, module: 'nothing' }));
    await expectOne(/./);
  });

  test('with a wasm of the caller', async () => {
    watchConsole();
    const { load } = await fresh();
    const attention = await load({ threads: 4, wasm: readFileSync(join(ROOT, 'dist/wasm-attention.wasm')) });
    expect(attention.features.threads).toBe(1);
    expect(warnings).toEqual(['load: expected 4 threads, got 1: a wasm for one thread']);
  });
});

test('a failed load starts no threads, and can be retried', async () => {
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

test('a caller that is busy while threads start gets them', async () => {
  jest.useFakeTimers({ now: 0, doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
  try {
    const { load } = await fresh();
    const loading = load({ threads: 2 });
    while (jest.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve));
    // As if all that time had passed within one task: the worker's answer is read in the next one.
    jest.advanceTimersByTime(10_000);
    expect((await loading).features.threads).toBe(2);
  } finally {
    jest.useRealTimers();
  }
});

test('threads do not keep the process alive', () => {
  // Otherwise it would wait for two minutes, and then fail.
  const threads = evaluate(`
    import { load } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)};
    const attention = await load({ threads: 4 });
    const x = attention.tensor(new Float32Array(4 * 512 * 64), [1, 4, 512, 64]);
    attention.scaledDotProductAttention(x, x, x);
    console.log(attention.features.threads);
  `);
  expect(threads).toBe(4);
});
