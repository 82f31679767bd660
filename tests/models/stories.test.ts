/** A real language model (tests/fixtures/README.md): its text, its logits, and its cache. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Model } from 'wasm-attention/models';
import { expectClose } from '../support/close.js';
import { open, stories } from './fixtures.js';

const expected = stories.expected as unknown as {
  readonly tokens_in: number[];
  readonly tokens_out: number[];
  readonly float64_logits: Record<string, number[]>;
};
/** Logits are of size 8. */
const CLOSE = { atol: 1e-5 * 8 };
let model: Model;
beforeAll(async () => {
  model = await open(stories);
});

describe('stories260K', () => {
  test('agrees with the logits of a float64 pass', () => {
    const { logits } = model.forward(expected.tokens_in);
    for (const [position, wanted] of Object.entries(expected.float64_logits)) {
      const row = logits!.data.subarray(512 * Number(position), 512 * (Number(position) + 1));
      const worst = Math.max(...wanted.map((x, i) => Math.abs(x - row[i]!)));
      expect(worst).toBeLessThan(1e-4);
    }
  });

  test('generates 200 tokens of its story', async () => {
    const written = [];
    for await (const id of model.generate([1], { maxTokens: 200 })) written.push(id);
    expect(written).toEqual(expected.tokens_out.slice(0, 200));
  });

  test('gives the same with a cache, token by token or in parts, as without', () => {
    const ids = expected.tokens_in.slice(0, 60);
    const whole = model.forward(ids).logits!.data;
    for (const sizes of [Array<number>(60).fill(1), [7, 1, 20, 32]]) {
      const cache = model.createCache({ maxLength: 64 });
      let at = 0;
      for (const size of sizes) {
        const { logits } = model.forward(ids.slice(at, at + size), { cache });
        expectClose(logits, { data: whole.slice(512 * at, 512 * (at + size)), shape: [1, size, 512] }, CLOSE);
        at += size;
      }
      expect(cache.length).toBe(60);
      cache.truncate(30);
      const { logits } = model.forward(ids.slice(30), { cache, lastOnly: true });
      expectClose(logits, { data: whole.slice(512 * 59), shape: [1, 1, 512] }, CLOSE);
      cache.dispose();
    }
  });
});
