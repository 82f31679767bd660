/** Ten thousand training steps take no more memory than the first hundred. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { usedBytes } from '../../support/collect.js';
import { fillHeap } from '../../support/fullHeap.js';
import { attention, heapBytes, softmaxCrossEntropy } from '../../support/library.js';
import { Random } from '../../support/random.js';

const STEPS = 10_000;
const CLASSES = 5;
/** Milliseconds. The work takes two seconds on an idle machine. */
const TIMEOUT = 60_000;

/** A small model of several layers, and steps that train it on sequences of changing lengths. */
function makeTraining() {
  const random = new Random(1);
  const embedding = new attention.Embedding({ numEmbeddings: CLASSES, dim: 8, seed: 1 });
  const positions = new attention.LearnedPositionalEncoding({
    numHiddens: 8,
    maxLen: 6,
    dropout: 0.1,
    seed: 2,
  });
  const encoder = new attention.TransformerEncoderLayer({
    numHiddens: 8,
    numHeads: 2,
    ffnHiddens: 8,
    dropout: 0.1,
    rotary: {},
    seed: 3,
  });
  const head = new attention.Linear({ inFeatures: 8, outFeatures: CLASSES, seed: 4 });
  const layers = [embedding, positions, encoder, head];
  const adam = new attention.Adam(
    layers.flatMap((layer) => layer.parameters()),
    { lr: 5e-3, maxGradNorm: 1 },
  );
  const training = { training: true };
  const relativeKeys = random.tensor([3, 4]);

  /** Runs a forward pass in training and computes the loss. */
  const forward = () => {
    const length = random.integer(1, 6);
    const ids = Array.from({ length }, () => random.integer(0, CLASSES - 1));
    const embedded = embedding.forward([ids], training);
    const placed = positions.forward(embedded.output, training);
    const encoded = encoder.forward(placed.output, { ...training, relativeKeys, isCausal: length % 2 === 0 });
    const logits = head.forward(encoded.output, training);
    const rows = { data: logits.output.data, shape: [length, CLASSES] };
    return { ...softmaxCrossEntropy(rows, ids), passes: [embedded, placed, encoded, logits] };
  };
  return {
    forward,
    step: (): number => {
      const { loss, gradLogits, passes } = forward();
      adam.zeroGrad();
      let gradient = { data: gradLogits.data, shape: [1, ...gradLogits.shape] };
      for (const { backward } of passes.reverse()) gradient = backward!(gradient).input as typeof gradient;
      adam.step();
      return loss;
    },
    dispose: () => {
      adam.dispose();
      for (const layer of layers) layer.dispose();
    },
  };
}

describe('ten thousand steps', () => {
  let training: ReturnType<typeof makeTraining>;
  beforeEach(() => {
    training = makeTraining();
  });
  let ballast: ReturnType<typeof fillHeap>;
  afterEach(() => {
    ballast.dispose();
    training.dispose();
  });

  /** Takes a hundred steps, fills the heap, takes the other steps, and throws if a heap has grown. */
  async function expectFlat(step: () => void): Promise<void> {
    for (let i = 0; i < 100; ++i) step();
    ballast = fillHeap();
    const bytes = heapBytes();
    const run = (steps: number) => {
      for (let i = 0; i < steps; ++i) step();
    };
    run(900);
    const used = await usedBytes();
    run(STEPS - 1000);
    const more = (await usedBytes()) - used;
    expect(heapBytes()).toBe(bytes);
    // The engine still compiles and profiles meanwhile. A leak of a hundred bytes per step would be 0.9 MB.
    expect(more).toBeLessThan(0.5e6);
  }

  test(
    'of training do not grow the heap after the first hundred, and learn',
    async () => {
      const early = Array.from({ length: 100 }, () => training.step());
      await expectFlat(training.step);
      const late = Array.from({ length: 100 }, () => training.step());
      const sum = (losses: readonly number[]) => losses.reduce((total, loss) => total + loss, 0);
      expect(sum(late)).toBeLessThan(sum(early) / 2);
    },
    TIMEOUT,
  );

  test(
    'of forward passes in training without backward do not grow the heap',
    async () => {
      await expectFlat(training.forward);
    },
    TIMEOUT,
  );

  test('would show a leak of sixteen bytes per step', () => {
    ballast = fillHeap();
    const bytes = heapBytes();
    const tiny = { inFeatures: 1, outFeatures: 1, bias: false, seed: 1 };
    const leaked = Array.from({ length: STEPS }, () => new attention.Linear(tiny));
    expect(heapBytes()).toBeGreaterThan(bytes);
    for (const layer of leaked) layer.dispose();
  });
});
