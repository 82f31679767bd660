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

  test('between two calls leaves one thread that works', async () => {
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

  test('silently is noticed soon, and load can start new ones', async () => {
    const expected = (await (await fresh()).load()).scaledDotProductAttention(Q, K, V).output.data;
    const workers = watchWorkers();
    const { load } = await fresh();
    const attention = await load({ threads: 2 });
    // Long enough for the thread to end within a call.
    const x = { data: new Float32Array(8 * 4096 * 64), shape: [1, 8, 4096, 64] };
    void workers[0]!.terminate();
    let error: Error | undefined;
    const started = performance.now();
    try {
      attention.scaledDotProductAttention(x, x, x);
    } catch (thrown) {
      error = thrown as Error;
    }
    const alone = performance.now();
    attention.scaledDotProductAttention(x, x, x);
    // With one thread the rest of the call takes as long as the next one, twice that on a busy machine; then it waits.
    expect(alone - started).toBeLessThan(2 * (performance.now() - alone) + 3000);
    if (error) expect(error.message).toMatch(/one that died; .* load\(\{ fresh: true, threads \}\) starts new ones/);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(attention.features.threads).toBe(1);
    expectWorking(attention, expected);
    const renewed = await load({ fresh: true, threads: 2 });
    expect(renewed.features.threads).toBe(2);
    expectWorking(renewed, expected);
    expect(await load()).toBe(renewed);
  }, 60_000);

  test('is not one that is busy for long', async () => {
    const { load } = await fresh();
    const attention = await load({ threads: 2 });
    const clock = Object.getOwnPropertyDescriptor(performance, 'now');
    let hours = 0;
    performance.now = () => (hours += 3_600_000);
    try {
      // A sequence per thread, one of which takes far longer: in one of the calls not the caller's.
      const length = 1024;
      const x = { data: new Float32Array(2 * length * 64), shape: [2, length, 64] };
      const layer = new attention.MultiHeadAttention({ numHiddens: 64, numHeads: 1 });
      for (const validLens of Array.from({ length: 8 }, (_, i) => (i % 2 ? [1, length] : [length, 1]))) {
        attention.scaledDotProductAttentionBackward(x, x, x, x, { validLens });
        attention.scaledDotProductAttention(x, x, x, { validLens });
        layer.forward(x, x, x, { validLens, training: true }).backward!(x);
        expect(attention.features.threads).toBe(2);
      }
    } finally {
      if (clock) Object.defineProperty(performance, 'now', clock);
      else Reflect.deleteProperty(performance, 'now');
    }
    expect(attention.features.threads).toBe(2);
  });

  test('in the middle of a call makes that call throw, and leaves one thread that works', async () => {
    const expected = (await (await fresh()).load()).scaledDotProductAttention(Q, K, V).output.data;
    // A stack that ends below address 0: the first function that needs stack space traps.
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

describe('a call that fails midway leaves threads that work', () => {
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

  test('because the stack is full', async () => {
    const loaded = await pair();
    const names: string[] = [];
    let level = 0;
    const descend = (): void => {
      try {
        descend();
      } catch {
        // Full: from here upwards there is more and more room.
      }
      // A call needs as much stack as some hundreds of these.
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

  test('because its output cannot be allocated, or not at first', async () => {
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
