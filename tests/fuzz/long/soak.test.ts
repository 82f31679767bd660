/**
 * Many small calls of functions and layers: the wasm heap and JavaScript's heap must not grow, and the last results
 * must equal the first to the bit. Also two copies of the library in one realm, and memory that grows during calls.
 *
 * CI makes 80,000 calls, `npm run soak` a million.
 */
import { describe, expect, test } from '@jest/globals';
import type { WasmAttention } from 'wasm-attention';
import { scaledDotProductAttention as reference } from '../../reference/scaledDotProductAttention.js';
import { expectAttention } from '../../support/attentionTolerance.js';
import { usedBytes } from '../../support/collect.js';
import { loadSecond, WASM } from '../../support/instance.js';
import { Random } from '../../support/random.js';
import { same } from '../../support/same.js';
import { allocator, attention, loadWatched } from '../watched.js';

const CALLS = Number(process.env.SOAK_CALLS ?? 80_000);
/** Bytes. This shows a leak of two bytes per call in a million calls, or of twenty in the 40,000 of a short run. */
const LIMIT = 0.75e6;
const TIMEOUT = 3_600_000;

const random = new Random(1);
const x = random.tensor([1, 3, 4]);
const square = random.tensor([4, 4]);
const training = { training: true };

/** Small calls of all functions and layers. Each returns the same every time. */
function callsOf(a: WasmAttention): (() => unknown)[] {
  const layer = new a.MultiHeadAttention({ numHiddens: 4, numHeads: 2, bias: true, rotary: {}, seed: 1 });
  const decoder = new a.TransformerDecoderLayer({ numHiddens: 4, numHeads: 2, ffnHiddens: 6, seed: 1 });
  const encoder = new a.TransformerEncoderLayer({ numHiddens: 4, numHeads: 2, ffnHiddens: 6, seed: 1 });
  const cache = layer.createCache({ batch: 1, maxLength: 9 });
  const weights = { Wq: square, Wk: square, wv: [[1, 2, 3, 4]] };
  const one = <T extends { dispose(): void }>(made: T, use: (made: T) => unknown) => {
    try {
      return use(made);
    } finally {
      made.dispose();
    }
  };
  const refused = (call: () => unknown) => {
    try {
      return call();
    } catch (error) {
      return (error as Error).message;
    }
  };
  return [
    () => a.tensor([[1, 2]]),
    () => a.maskedSoftmax(x, [2]),
    () => a.scaledDotProductAttention(x, x, x, { isCausal: true, needWeights: true }),
    () => a.scaledDotProductAttentionBackward(x, x, x, x, { bias: [[1, 2, 3]] }),
    () => a.additiveAttention(x, x, x, weights),
    () => a.additiveAttentionBackward(x, x, x, x, weights),
    () => a.sinusoidalEncoding({ length: 3, dim: 4 }),
    () => a.sinusoidalEncoding2d({ height: 2, width: 2, dim: 4 }),
    () => a.encodingRotation({ delta: 2, dim: 4 }),
    () => a.rotaryEmbedding(x, { offset: 7 }),
    () => a.rotaryEmbeddingBackward(x),
    () => a.alibiSlopes(4),
    () => a.alibiBias({ numHeads: 2, queryLength: 3 }),
    () => a.t5RelativeBuckets({ queryLength: 3 }),
    () => a.t5RelativeBias(square, { queryLength: 3 }),
    () => a.t5RelativeBiasBackward(x, { queryLength: 3, keyLength: 4 }),
    () => a.relativeShift(square),
    () => a.relativeShiftBackward(square),
    () => a.conv1d(x, random12, { padding: 1 }),
    () => a.rnn(x, { weightIh: square, weightHh: square }),
    () => a.complexity('rnn', { n: 3, d: 4 }),
    () => a.matmul(x, square),
    () => [a.gelu(x), a.silu(x)],
    () => a.softmaxCrossEntropy(square, [0, 1, 2, 3]),
    () => layer.forward(x, x, x, { needWeights: true }),
    () => {
      cache.reset();
      return [layer.forward(x, x, x, { cache }), layer.forward(x, x, x, { cache })];
    },
    () => encoder.forward(x, training).backward!(x),
    () => decoder.forward(x, x, training).backward!(x),
    () => one(new a.Linear({ inFeatures: 4, outFeatures: 3, seed: 1 }), (made) => made.forward(x)),
    () => one(new a.LayerNorm({ normalizedShape: 4 }), (made) => made.forward(x, training).backward!(x)),
    () => one(new a.Embedding({ numEmbeddings: 3, dim: 4, seed: 1 }), (made) => made.forward([0, 2])),
    () => one(new a.FeedForward({ numHiddens: 4, ffnHiddens: 5, seed: 1 }), (made) => made.forward(x)),
    () => one(new a.RMSNorm({ normalizedShape: 4 }), (made) => made.forward(x, training).backward!(x)),
    () =>
      one(new a.GatedFeedForward({ numHiddens: 4, ffnHiddens: 5, seed: 1 }), (made) =>
        made.forward(x, training).backward!(x),
      ),
    () => one(new a.PositionalEncoding({ numHiddens: 4, maxLen: 2 }), (made) => made.forward(x)),
    () => one(new a.LearnedPositionalEncoding({ numHiddens: 4, maxLen: 3, seed: 1 }), (made) => made.forward(x)),
    () =>
      one(new a.Linear({ inFeatures: 4, outFeatures: 4, seed: 1 }), (made) => {
        made.forward(x, training).backward!(x);
        return one(new a.Adam(made.parameters()), (adam) => {
          adam.step();
          return made.stateDict();
        });
      }),
    () => refused(() => a.maskedSoftmax(x, [-1])),
    () => refused(() => layer.forward(x, x, [[1]])),
    () => refused(() => new a.MultiHeadAttention({ numHiddens: 5, numHeads: 2 })),
  ];
}
const random12 = new Random(2).tensor([2, 3, 3]);

test(
  `${CALLS} calls grow neither heap`,
  async () => {
    const calls = callsOf(attention);
    const expected = calls.map((call) => call());
    const run = (count: number) => {
      for (let i = 0; i < count; ++i) calls[i % calls.length]!();
    };
    // At first the heap grows for the engine's compiled code and profiles.
    const first = Math.floor(CALLS / 2);
    run(first);
    const [heap, blocks, bytes] = [allocator.heapBytes, allocator.blocks.size, allocator.liveBytes];
    // Late compilation grows the heap once. A leak grows it every time.
    let more = Infinity;
    for (let round = 0; round < 3 && more >= LIMIT; ++round) {
      const used = await usedBytes();
      const started = performance.now();
      run(CALLS - first);
      const seconds = (performance.now() - started) / 1000;
      more = (await usedBytes()) - used;
      if (CALLS >= 1e6) {
        console.log(`${CALLS - first} calls in ${seconds.toFixed(1)} s; heap ${heap} bytes; JavaScript's ${more} more`);
      }
    }
    expect([allocator.heapBytes, allocator.blocks.size, allocator.liveBytes]).toEqual([heap, blocks, bytes]);
    expect(more).toBeLessThan(LIMIT);
    calls.forEach((call, i) => expect(same(call(), expected[i])).toBe(true));
  },
  TIMEOUT,
);

describe('two copies of the library in one realm', () => {
  test('do not affect each other', async () => {
    const { attention: other, allocator: books } = await loadWatched(() => loadSecond({ wasm: WASM }));
    expect(other).not.toBe(attention);
    expect(books.memories[0]).not.toBe(allocator.memories[0]);
    const [ours, theirs] = [callsOf(attention), callsOf(other)];
    const expected = ours.map((call) => call());
    // They take turns, so that anything that one leaves behind would affect the other.
    for (let round = 0; round < 20; ++round) {
      theirs.forEach((call, i) => expect(same(call(), expected[i])).toBe(true));
      ours.forEach((call, i) => expect(same(call(), expected[i])).toBe(true));
    }
    const mine = allocator.heapBytes;
    other.maskedSoftmax(new Random(3).tensor([300, 300]));
    new other.LayerNorm({ normalizedShape: 2 ** 21 }).dispose();
    expect(books.heapBytes).toBeGreaterThan(2 ** 24);
    expect(allocator.heapBytes).toBe(mine);
    const large = () => new other.LayerNorm({ normalizedShape: 2 ** 21 });
    expect(() => books.refusing(0, true, large)).toThrow(RangeError);
    ours.forEach((call, i) => expect(same(call(), expected[i])).toBe(true));
  });

  test("refuse each other's parameters", async () => {
    const other = await loadSecond({ wasm: WASM });
    const layer = new other.Linear({ inFeatures: 2, outFeatures: 2, seed: 1 });
    expect(() => new attention.Adam(layer.parameters())).toThrow(/^Adam: expected .+, got /);
    layer.dispose();
  });
});

test('a call gives the right result when memory grows during it', () => {
  // Each input is larger than the free memory, so that each copy grows the memory and detaches all views.
  let grown = 0;
  const S = 5000;
  for (const E of [16, 32, 64, 128]) {
    const [query, key, value] = [random.tensor([2, E]), random.tensor([S, E]), random.tensor([S, E])];
    const before = allocator.heapBytes;
    const { output } = attention.scaledDotProductAttention(query, key, value);
    if (allocator.heapBytes > before) grown += 1;
    const expected = reference(query, key, value);
    expectAttention({ output }, { output: expected.output, masked: expected.masked }, value);
  }
  expect(grown).toBeGreaterThan(2);
});
