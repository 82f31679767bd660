/** Which token follows: draws, and what changes logits before them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
// A text does not reveal the probabilities of its draws.
import type { Sampling } from '../../web/lib/models/generation/options.js';
import { drawer, writer } from '../../web/lib/models/generation/sampling.js';

const PLAIN: Sampling = { repetitionPenalty: 1, temperature: 0, topK: Infinity, topP: 1, minP: 0 };

describe('draws', () => {
  const logits = Float32Array.from([1, 3, 2, -1, 2.5]);
  const counts = (options: Partial<Sampling>): number[] => {
    const draw = drawer({ ...PLAIN, temperature: 1, ...options }, 7);
    const found = Array<number>(logits.length).fill(0);
    for (let i = 0; i < 20000; ++i) found[draw(logits)]! += 1 / 20000;
    return found;
  };
  const softmax = (temperature: number, allowed = [0, 1, 2, 3, 4]): number[] => {
    const powers = Array.from(logits, (x, i) => (allowed.includes(i) ? Math.exp(x / temperature) : 0));
    const sum = powers.reduce((a, b) => a + b);
    return powers.map((x) => x / sum);
  };

  test.each<[string, number[], number[]]>([
    ['by the softmax', counts({}), softmax(1)],
    ['by the softmax at another temperature', counts({ temperature: 3 }), softmax(3)],
    ['among the three most likely', counts({ topK: 3 }), softmax(1, [1, 4, 2])],
    // 3 and 2.5 together have a probability of 0.74.
    ['among the fewest that have the probability', counts({ topP: 0.7 }), softmax(1, [1, 4])],
    ['among those of both', counts({ temperature: 3, topK: 4, topP: 0.5 }), softmax(3, [1, 4])],
    // exp(-0.5) is 0.61, exp(-1) is 0.37, exp(-2) is 0.14.
    ['among those of a share of the highest probability', counts({ minP: 0.3 }), softmax(1, [1, 4, 2])],
    ['among those of a share, at another temperature', counts({ temperature: 2, minP: 0.5 }), softmax(2, [1, 4, 2])],
    ['among those of all three', counts({ topK: 4, topP: 0.99, minP: 0.5 }), softmax(1, [1, 4])],
  ])('are %s', (_, found, expected) => {
    // Of 20,000 draws the share is off by more than 4·sqrt(0.25 / 20000) = 0.014 once in 16,000 times; the seed is
    // fixed.
    found.forEach((share, i) => expect(Math.abs(share - expected[i]!)).toBeLessThan(0.015));
    found.forEach((share, i) => expect(share > 0).toBe(expected[i]! > 0));
  });

  test('never give a token whose logit is -Infinity', () => {
    const draw = drawer({ ...PLAIN, temperature: 100 }, 1);
    const some = Float32Array.from([-Infinity, 1, -Infinity, 1, -Infinity]);
    const found = new Set(Array.from({ length: 2000 }, () => draw(some)));
    expect([...found].sort()).toEqual([1, 3]);
  });

  test('are none if a logit is NaN or none is finite', () => {
    for (const temperature of [0, 1]) {
      const draw = drawer({ ...PLAIN, temperature }, 1);
      for (const wrong of [[1, NaN], [1, Infinity], [-Infinity, -Infinity], []]) {
        expect(draw(Float32Array.from(wrong))).toBe(-1);
      }
    }
  });
});

describe('as in transformers', () => {
  const file = join(import.meta.dirname, '../fixtures/sampling/processors.json');
  const { prompt, logits, repetitionPenalty, survivors } = JSON.parse(readFileSync(file, 'utf8')) as {
    prompt: number[];
    logits: number[];
    repetitionPenalty: { repetitionPenalty: number; processed: number[] };
    survivors: { options: Partial<Sampling>; survivors: number[] }[];
  };

  test('a repetition penalty', () => {
    const given = Float32Array.from(logits);
    writer({ ...PLAIN, ...repetitionPenalty }, prompt, 0)(given);
    const worst = given.map((x, i) => Math.abs(x - repetitionPenalty.processed[i]!));
    // The logits are rounded to float32 before and after.
    expect(Math.max(...worst)).toBeLessThan(1e-6);
  });

  test.each(survivors)('the tokens that remain after $options', ({ options, survivors }) => {
    const draw = drawer({ ...PLAIN, temperature: 1, ...options }, 3);
    const found = new Set(Array.from({ length: 20000 }, () => draw(Float32Array.from(logits))));
    expect([...found].sort((a, b) => a - b)).toEqual(survivors);
  });
});

test('a penalty is for each token of the prompt and the text once', () => {
  const write = writer({ ...PLAIN, repetitionPenalty: 2 }, [0, 1, 1], 0);
  const seen: number[][] = [];
  for (let i = 0; i < 3; ++i) {
    const logits = Float32Array.from([4, -1, 3, 1]);
    write(logits);
    seen.push([...logits]);
  }
  expect(seen).toEqual([
    [2, -2, 3, 1],
    [2, -2, 1.5, 1],
    [2, -2, 1.5, 1],
  ]);
});

test('onLogits that gives the logits away is refused', () => {
  const onLogits = (logits: Float32Array): void => void structuredClone(logits, { transfer: [logits.buffer] });
  const write = writer({ ...PLAIN, onLogits }, [2], 0);
  expect(() => write(Float32Array.of(1, 2, 3))).toThrow(/^generate: expected onLogits to keep the logits' buffer/);
});

test('onLogits comes before the penalty, and may keep its arguments', () => {
  const kept: [Float32Array, readonly number[]][] = [];
  const onLogits = (logits: Float32Array, ids: readonly number[]): void => {
    kept.push([logits, ids]);
    logits[3] = 8;
  };
  const write = writer({ ...PLAIN, repetitionPenalty: 4, onLogits }, [2], 0);
  const raw = [4, -1, 3, 1];
  expect([write(Float32Array.from(raw)), write(Float32Array.from(raw))]).toEqual([3, 0]);
  expect(kept.map(([, ids]) => ids)).toEqual([[2], [2, 3]]);
  for (const [logits] of kept) expect([...logits]).toEqual([4, -1, 3, 8]);
});
