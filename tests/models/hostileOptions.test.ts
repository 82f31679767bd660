/** Options and masks of any kind are refused with the library's errors, or give tokens, and do no other harm. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openModel, type GenerateOptions } from 'wasm-attention/models';
import { allocator, attention } from '../fuzz/watched.js';
import { checkpoint } from './fixtures.js';

const { config, bytes, architecture } = checkpoint('llama-grouped');

const strange = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    undefined,
    true,
    '',
    '1',
    0,
    1,
    2,
    -1,
    0.5,
    1e-320,
    1e9,
    2 ** 31,
    2 ** 53,
    NaN,
    Infinity,
  ),
  fc.constantFrom<unknown>([], {}, [1], [[1]], [NaN], ['a'], [70], [71], new Float32Array(2), new Int32Array(3), 1n),
  fc.constantFrom<unknown>(
    () => Infinity,
    (logits: Float32Array) => void logits.fill(NaN),
    (logits: Float32Array) => void structuredClone(logits, { transfer: [logits.buffer as ArrayBuffer] }),
    (logits: Float32Array, ids: number[]) => void (logits[ids.splice(0).length] = 50),
  ),
  fc.anything({ maxDepth: 2, withTypedArray: true, withBigInt: true }),
);
/** Options of generate, of which some are strange. */
const options = fc
  .tuple(
    fc.record<Record<string, unknown>>(
      {
        temperature: fc.constantFrom(1e-30, 0.7, 30),
        topK: fc.constantFrom(1, 5, 1000),
        topP: fc.constantFrom(1e-30, 0.5, 1),
        minP: fc.constantFrom(0, 0.3, 1),
        repetitionPenalty: fc.constantFrom(1e-30, 0.9, 1.2, 1e30),
        stopTokens: fc.array(fc.nat(70)),
      },
      { requiredKeys: ['temperature'] },
    ),
    fc.array(
      fc.tuple(
        fc.constantFrom(
          'temperature',
          'topK',
          'topP',
          'minP',
          'repetitionPenalty',
          'seed',
          'stopTokens',
          'onLogits',
          'signal',
        ),
        strange,
      ),
      { maxLength: 2 },
    ),
  )
  .map(([given, changes]) => ({ ...given, ...Object.fromEntries(changes) }));
const rows = (batch: number): fc.Arbitrary<unknown> =>
  fc.array(fc.array(fc.nat(70), { minLength: 1, maxLength: 3 }), { minLength: batch, maxLength: batch });
const some = (usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary: usual, weight: 4 }, { arbitrary: strange, weight: 1 });

/** Whether a call gave what `check` accepts, and not an error of the library. */
async function works(call: () => unknown, pattern: RegExp): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    const { name, message } = error as Error;
    expect(['RangeError', 'TypeError']).toContain(name);
    expect(message).toMatch(pattern);
    return false;
  }
}

test('of generate', async () => {
  const model = await openModel({ config, weights: bytes, attention });
  const after = model.forward([1, 2]);
  let written = 0;
  await fc.assert(
    fc.asyncProperty(
      some(fc.integer({ min: 1, max: 3 }).chain(rows)),
      options,
      fc.boolean(),
      async (ids, given, hasCache) => {
        const live = allocator.liveBytes;
        const cache = hasCache
          ? model.createCache({ batch: Array.isArray(ids) ? Math.max(1, ids.length) : 1 })
          : undefined;
        const call = async (): Promise<void> => {
          const all = { ...(given as GenerateOptions), maxTokens: 3, ...(cache && { cache }) };
          for await (const step of model.generate(ids as number[][], all)) {
            const tokens = Array.isArray(step) ? step : [step as unknown as number];
            expect(tokens.every((token) => Number.isInteger(token) && token >= -1 && token < architecture.vocab)).toBe(
              true,
            );
          }
        };
        // A function of the caller's may throw what it likes.
        const pattern = typeof given.onLogits === 'function' ? /./ : /^generate: expected /;
        if (await works(call, pattern)) written += 1;
        cache?.dispose();
        expect(allocator.liveBytes).toBe(live);
      },
    ),
    { numRuns: 600 },
  );
  expect(written).toBeGreaterThan(100);
  expect(model.forward([1, 2])).toEqual(after);
  model.dispose();
});

test('of a padded batch', async () => {
  const model = await openModel({ config, weights: bytes, attention });
  /** Two rows of ids and of a mask that begins anywhere. */
  const call = fc.integer({ min: 1, max: 3 }).chain((tokens) => {
    const row = (max: number) => fc.array(fc.nat(max), { minLength: tokens, maxLength: tokens });
    const mask = fc.tuple(row(1), row(1)).map((bits) => bits.map((row) => [...row, 1].slice(-tokens)));
    return fc.tuple(some(fc.tuple(row(70), row(70))), some(mask));
  });
  let passed = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 4 }), async (calls) => {
      const live = allocator.liveBytes;
      const cache = model.createCache({ batch: 2, maxLength: 8 });
      let before: number[][] = [[], []];
      for (const [ids, added] of calls) {
        const { length } = cache;
        const columns = (b: number): number[] => [...before[b]!, ...((added as number[][])[b] ?? [])];
        const isMask = Array.isArray(added) && added.length === 2 && added.every(Array.isArray);
        const attentionMask = (isMask ? [columns(0), columns(1)] : added) as number[][];
        const call = () => model.forward(ids as number[][], { cache, attentionMask });
        if (await works(call, /^forward: expected /)) {
          passed += 1;
          const whole = Array<number>(cache.length).fill(1);
          before = attentionMask ?? before.map((row) => [...row, ...whole].slice(0, cache.length));
        } else {
          expect(cache.length).toBe(length);
        }
      }
      cache.dispose();
      expect(allocator.liveBytes).toBe(live);
    }),
    { numRuns: 600 },
  );
  expect(passed).toBeGreaterThan(100);
  model.dispose();
});
