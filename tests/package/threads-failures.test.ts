import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { WasmAttention } from 'wasm-attention';
import { same } from '../support/same.js';
import { K, Q, V } from '../support/sharedWorks.js';
import { fresh, restoreWorker, watchWorkers } from '../support/threads.js';

// Several threads on a busy machine wait for each other.
jest.setTimeout(60_000);

afterEach(() => {
  jest.restoreAllMocks();
  restoreWorker();
});

describe('a thread that dies', () => {
  const expectWorking = (attention: WasmAttention, expected: ArrayLike<number>): void => {
    const { output } = attention.scaledDotProductAttention(Q, K, V);
    expect(same(output.data, expected)).toBe(true);
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
      expect(same(output.data, expected)).toBe(true);
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
      expect(same(data, loaded.expected)).toBe(true);
      expectWorking(loaded);
    }
  });
});
