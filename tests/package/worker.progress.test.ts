/** Reports about calls in a worker while they are waiting or running. */
import { load, type WasmAttention } from 'wasm-attention';
import { loadWorker, type AsyncWasmAttention } from 'wasm-attention/worker';

let here: WasmAttention;
let there: AsyncWasmAttention;

beforeAll(async () => {
  here = await load();
  there = await loadWorker();
});
afterAll(() => there.dispose());

describe('progress', () => {
  it('is reported after each call, of a module and of layers together, before its promise resolves', async () => {
    const told: string[] = [];
    const onProgress = ({ done, total }: { done: number; total: number }) => told.push(`${done}/${total}`);
    const layer = await new there.Linear({ inFeatures: 2, outFeatures: 2 });
    const calls = [1, 2].map((numHeads) => there.with({ onProgress }).alibiSlopes(numHeads));
    const all = [...calls, layer.with({ onProgress }).forward([[1, 2]])];
    const seen = all.map((call) => call.then(() => told.length));
    expect(await Promise.all(seen)).toEqual([1, 2, 3]);
    expect(told).toEqual(['1/3', '2/3', '3/3']);
    await there.alibiSlopes(4);
    expect(told).toHaveLength(3);
    await there.with({ onProgress }).alibiSlopes(4);
    expect(told.at(-1)).toBe('4/4');
  });

  it('counts failed and cancelled calls, each once', async () => {
    const told: number[] = [];
    const counted = there.with({ onProgress: ({ done }) => told.push(done) });
    const controller = new AbortController();
    const calls = [
      counted.maskedSoftmax('scores' as never),
      counted.with({ signal: controller.signal }).alibiSlopes(8),
      counted.alibiSlopes(8),
    ];
    controller.abort();
    const states = (await Promise.allSettled(calls)).map(({ status }) => status);
    expect(states).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(told).toEqual([1, 2, 3]);
  });

  it('is reported for the parts of long work as they finish', async () => {
    const heads = 4;
    const q = { data: new Float32Array(heads * 512 * 64).fill(0.5), shape: [1, heads, 512, 64] };
    const whole = here.scaledDotProductAttention(q, q, q, { isCausal: true });
    const times: number[] = [];
    const counted = there.with({ onProgress: () => times.push(performance.now()) });
    const parts = await Promise.all(
      Array.from({ length: heads }, (_, h) => {
        const head = { data: q.data.subarray(h * 512 * 64, (h + 1) * 512 * 64), shape: [1, 1, 512, 64] };
        return counted.scaledDotProductAttention(head, head, head, { isCausal: true });
      }),
    );
    expect(parts.flatMap(({ output }) => Array.from(output.data))).toEqual(Array.from(whole.output.data));
    // One after another, not all at the end.
    expect(new Set(times).size).toBe(heads);
  });

  it('refuses anything but a function', async () => {
    await expect(there.with({ onProgress: 3 as never }).alibiSlopes(8)).rejects.toThrow(
      new TypeError('alibiSlopes: expected onProgress to be a function, got 3'),
    );
  });
});
