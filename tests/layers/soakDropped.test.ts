/** Layers, optimizers and caches that nobody disposes: the garbage collector gives their memory back, and not before. */
import { describe, expect, test } from '@jest/globals';
import { ALL_LAYERS } from '../support/allLayers.js';
import { collect } from '../support/collect.js';
import { fillHeap } from '../support/fullHeap.js';
import { attention, heapBytes } from '../support/library.js';
import { Random } from '../support/random.js';

const COUNT = 10_000;
const BATCH = 250;
/** Milliseconds: some collections of everything that the test runner holds, on a busy machine. */
const TIMEOUT = 60_000;
const random = new Random(1);
const x = random.tensor([1, 2, 16]);
const training = { training: true };

/** Each makes something, uses it so that it takes all the memory it ever takes, and drops it. */
const DROPPED: Record<string, () => void> = {
  Linear() {
    const layer = new attention.Linear({ inFeatures: 16, outFeatures: 16, seed: 1 });
    layer.forward(x, training).backward!(x);
  },
  LayerNorm() {
    const layer = new attention.LayerNorm({ normalizedShape: [2, 16] });
    layer.forward(x, training).backward!(x);
  },
  Embedding() {
    const layer = new attention.Embedding({ numEmbeddings: 16, dim: 16, seed: 1 });
    layer.forward([[1, 2]], training).backward!(x);
  },
  FeedForward() {
    const layer = new attention.FeedForward({ numHiddens: 16, ffnHiddens: 8, seed: 1 });
    layer.forward(x, training).backward!(x);
  },
  LearnedPositionalEncoding() {
    const layer = new attention.LearnedPositionalEncoding({ numHiddens: 16, maxLen: 16, seed: 1 });
    layer.forward(x, training).backward!(x);
  },
  MultiHeadAttention() {
    const layer = new attention.MultiHeadAttention({ numHiddens: 16, numHeads: 4, rotary: {}, seed: 1 });
    layer.forward(x, x, x, training).backward!(x);
  },
  'MultiHeadAttention with a cache'() {
    const layer = new attention.MultiHeadAttention({ numHiddens: 16, numHeads: 4, seed: 1 });
    layer.forward(x, x, x, { cache: layer.createCache({ batch: 1, maxLength: 16 }) });
  },
  TransformerEncoderLayer() {
    const options = { numHiddens: 16, numHeads: 4, ffnHiddens: 8, seed: 1 };
    new attention.TransformerEncoderLayer(options).forward(x, training).backward!(x);
  },
  Adam() {
    const layer = new attention.Linear({ inFeatures: 16, outFeatures: 16, seed: 1 });
    const adam = new attention.Adam(layer.parameters());
    layer.forward(x, training).backward!(x);
    adam.step();
  },
};

/** Makes and drops so many, and lets the collector work in between. */
async function drop(use: () => void, count: number): Promise<void> {
  for (let made = 0; made < count; made += BATCH) {
    for (let i = 0; i < BATCH; ++i) use();
    await collect();
  }
}

describe('dropped without dispose', () => {
  const kinds = Object.entries(DROPPED);
  const each = BATCH * Math.ceil(COUNT / kinds.length / BATCH);

  /** A heap with room for three times what is made between two collections, and for no more, need not grow. */
  async function expectBounded(use: () => void): Promise<void> {
    // Nothing is given back before the finalizers' turn.
    for (let i = 0; i < 3 * BATCH; ++i) use();
    const ballast = fillHeap();
    const bytes = heapBytes();
    await collect();
    await drop(use, each);
    const after = heapBytes();
    ballast.dispose();
    expect(after).toBe(bytes);
  }

  test.each(kinds)(
    `${each} times, the heap does not grow: %s`,
    async (_kind, use) => {
      await expectBounded(use);
    },
    TIMEOUT,
  );

  test(
    'not even where the layer that an optimizer changes stays',
    async () => {
      const layer = new attention.Linear({ inFeatures: 64, outFeatures: 64, seed: 1 });
      layer.forward(random.tensor([1, 64]), training).backward!(random.tensor([1, 64]));
      const use = () => new attention.Adam(layer.parameters(), { lr: 0 }).step();
      await expectBounded(use);
    },
    TIMEOUT,
  );
});

describe.each(ALL_LAYERS)('$title', ({ make }) => {
  const g = random.tensor(make().forward().output.shape);
  const trained = () => {
    const { layer, forward } = make();
    const { backward } = forward(training);
    return { backward: backward!, parameters: layer.parameters() };
  };

  test('keeps its memory while its backward pass or a parameter is left', async () => {
    const expected = trained();
    const gradients = expected.backward(g);
    const { backward } = trained();
    const [, left] = [trained().backward(g), trained().parameters];
    const values = expected.parameters.map(({ data }) => data);
    await collect();
    // What was freed by mistake is taken, and written to, by these.
    const others = Array.from({ length: 50 }, () => {
      const other = make();
      other.forward(training).backward!(g);
      return other;
    });
    expect(left.map(({ data }) => data)).toEqual(values);
    for (const parameter of left) parameter.set(parameter.data.fill(3));
    expect(left.every(({ data }) => data.every((value) => value === 3))).toBe(true);
    expect(backward(g)).toEqual(gradients);
    for (const { layer } of others) {
      expect(layer.parameters().map(({ data }) => data)).toEqual(values);
      layer.dispose();
    }
  });
});

test('an optimizer keeps what it changes', async () => {
  const make = () => {
    const layer = new attention.Linear({ inFeatures: 8, outFeatures: 8, seed: 1 });
    layer.forward(random.tensor([1, 8]), training).backward!(random.tensor([1, 8]));
    return layer;
  };
  const adam = new attention.Adam(make().parameters(), { lr: 1 });
  await collect();
  const others = Array.from({ length: 50 }, make);
  const before = others.map((layer) => layer.stateDict());
  for (let i = 0; i < 3; ++i) adam.step();
  expect(others.map((layer) => layer.stateDict())).toEqual(before);
  for (const layer of others) layer.dispose();
});
