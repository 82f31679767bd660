/** A backward pass for whose result there is no room changes nothing, and can be called again. */
import { describe, expect, test } from '@jest/globals';
import type { TensorLike } from 'wasm-attention';
import { attention } from '../support/library.js';

// A length that no other array of these passes has.
const ROWS = 997;
const SHAPE = [1, ROWS, 4];
const x = { data: Float32Array.from({ length: ROWS * 4 }, (_, i) => Math.sin(i)), shape: SHAPE };

interface Trained {
  layer: { parameters(): { grad: Float32Array }[]; dispose(): void };
  backward: (gradOutput: TensorLike) => unknown;
}

const seed = 1;
const size = { numHiddens: 4, numHeads: 2, seed };
const training = { training: true, window: [2, 2] as [number, number] };
const passes: Record<string, () => Trained> = {
  Linear: () => {
    const layer = new attention.Linear({ inFeatures: 4, outFeatures: 4, seed });
    return { layer, backward: layer.forward(x, { training: true }).backward! };
  },
  LayerNorm: () => {
    const layer = new attention.LayerNorm({ normalizedShape: 4 });
    return { layer, backward: layer.forward(x, { training: true }).backward! };
  },
  FeedForward: () => {
    const layer = new attention.FeedForward({ numHiddens: 4, ffnHiddens: 4, seed });
    return { layer, backward: layer.forward(x, { training: true }).backward! };
  },
  RMSNorm: () => {
    const layer = new attention.RMSNorm({ normalizedShape: 4 });
    return { layer, backward: layer.forward(x, { training: true }).backward! };
  },
  GatedFeedForward: () => {
    const layer = new attention.GatedFeedForward({ numHiddens: 4, ffnHiddens: 4, bias: true, seed });
    return { layer, backward: layer.forward(x, { training: true }).backward! };
  },
  LearnedPositionalEncoding: () => {
    const layer = new attention.LearnedPositionalEncoding({ numHiddens: 4, maxLen: ROWS, seed });
    return { layer, backward: layer.forward(x, { training: true }).backward! };
  },
  MultiHeadAttention: () => {
    const layer = new attention.MultiHeadAttention(size);
    return { layer, backward: layer.forward(x, x, x, training).backward! };
  },
  TransformerDecoderLayer: () => {
    const layer = new attention.TransformerDecoderLayer({ ...size, ffnHiddens: 4 });
    return { layer, backward: layer.forward(x, x, { training: true }).backward! };
  },
  TransformerEncoderLayer: () => {
    const layer = new attention.TransformerEncoderLayer({ ...size, ffnHiddens: 4 });
    return { layer, backward: layer.forward(x, training).backward! };
  },
};

/** Runs `body` where making the result, an array as long as x, fails. */
function withoutRoom(body: () => void): void {
  const Original = globalThis.Float32Array;
  globalThis.Float32Array = new Proxy(Original, {
    construct(Type, args: [number, ...unknown[]], target) {
      const made = Reflect.construct(Type, args, target) as Float32Array;
      // A view of another array's buffer, which has three arguments, needs no room.
      if (args.length === 1 && made.length === x.data.length) throw new RangeError('Array buffer allocation failed');
      return made;
    },
  });
  try {
    body();
  } finally {
    globalThis.Float32Array = Original;
  }
}

describe.each(Object.entries(passes))('%s.backward', (name, pass) => {
  test('changes no gradient where there is no room for its result', () => {
    const gradients = ({ layer }: Trained) => layer.parameters().map(({ grad }) => grad);
    const whole = pass();
    const expected = whole.backward(x);
    const tried = pass();
    const before = gradients(tried);
    withoutRoom(() => {
      expect(() => tried.backward(x)).toThrow(new RegExp(`^${name}.backward: expected \\d+ free bytes`));
    });
    expect(gradients(tried)).toEqual(before);
    expect(tried.backward(x)).toEqual(expected);
    expect(gradients(tried)).toEqual(gradients(whole));
    whole.layer.dispose();
    tried.layer.dispose();
  });
});
