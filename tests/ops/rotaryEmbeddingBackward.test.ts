import { describe, expect, test } from '@jest/globals';
import { rotaryEmbeddingBackward as reference } from '../reference/rotaryEmbeddingBackward.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { expectFixture } from '../support/fixtures.js';
import { dot } from '../support/differences.js';
import { rotaryEmbedding, rotaryEmbeddingBackward } from '../support/library.js';
import { Random } from '../support/random.js';
import { rotaryCases } from '../support/rotaryCases.js';
import { SIZES } from '../support/sizes.js';

describe('rotaryEmbeddingBackward', () => {
  test.each(rotaryCases())('agrees with PyTorch on $name', ({ gradOutput, options, expected }) => {
    expectFixture(rotaryEmbeddingBackward(gradOutput, options), expected.gradient);
  });

  test.each(SIZES)('agrees with the oracle for %i pairs', (half) => {
    for (const interleaved of [false, true]) {
      const g = new Random(half).tensor([2, 3, 5, 2 * half + 3]);
      const options = { interleaved, rotaryDim: 2 * half, offset: 11 };
      // As in the forward pass: the table's error, two products and a sum.
      const atol = (3 * EPS + 2e-8) * maxAbs(g.data);
      expectClose(rotaryEmbeddingBackward(g, options), reference(g, options), { atol });
    }
  });

  test('is the transpose of rotaryEmbedding, <Rx, y> = <x, Rᵀy>, also with tables and scaling', () => {
    const random = new Random(3);
    const [x, y] = [random.tensor([2, 2, 7, 12]), random.tensor([2, 2, 7, 12])];
    for (const options of [
      {},
      { interleaved: true, rotaryDim: 6 },
      { cos: random.tensor([7, 6]), sin: random.tensor([7, 6]) },
      { offset: 99, scaling: { type: 'yarn', factor: 4, originalMaxLength: 64 } as const },
    ]) {
      const forward = dot(rotaryEmbedding(x, options).data, y.data);
      const back = dot(x.data, rotaryEmbeddingBackward(y, options).data);
      // Sums of 336 products of up to 9, each off by the up to 4·EPS of a rotation.
      expect(Math.abs(forward - back)).toBeLessThan(336 * 4 * EPS * 9);
    }
  });

  test('undoes rotaryEmbedding', () => {
    const x = new Random(4).tensor([3, 10, 16]);
    const there = rotaryEmbedding(x, { offset: 12345 });
    expectClose(rotaryEmbeddingBackward(there, { offset: 12345 }), x, { atol: 8 * EPS * maxAbs(x.data) });
  });
});
