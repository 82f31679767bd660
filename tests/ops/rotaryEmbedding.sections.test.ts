/** Positions of several axes: the option `sections`. */
import { describe, expect, test } from '@jest/globals';
import { rotaryEmbedding as reference } from '../reference/rotaryEmbedding.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { expectFixture, loadFixtures } from '../support/fixtures.js';
import { rotaryEmbedding, rotaryEmbeddingBackward } from '../support/library.js';
import { Random } from '../support/random.js';

describe('rotaryEmbedding with sections', () => {
  test.each(loadFixtures('modern', /^rope_sections/))('agrees with transformers on $name', (fixture) => {
    const { base, sections } = fixture.attributes as { base: number; sections: number[] };
    const options = { base, sections, positions: fixture.input('positions') };
    expectFixture(rotaryEmbedding(fixture.input('x'), options), fixture.output('output'));
    expectFixture(rotaryEmbeddingBackward(fixture.input('G'), options), fixture.output('grad:x'));
  });

  const random = new Random(5);
  const positionsOf = (...shape: number[]) => ({
    data: Array.from({ length: shape.reduce((a, b) => a * b) }, () => random.integer(0, 3000)),
    shape,
  });

  test.each([[[1]], [[2]], [[1, 1]], [[1, 2]], [[3, 1, 1]], [[2, 3, 2]], [[16, 24, 24]], [[1, 1, 1, 1, 1]]])(
    'agrees with the oracle for %j',
    (sections) => {
      const pairs = sections.reduce((a, b) => a + b);
      const axes = sections.length;
      for (const [shape, positions] of [
        [[5, 2 * pairs], positionsOf(axes, 5)],
        [[2, 3, 5, 2 * pairs + 1], positionsOf(axes, 5)],
        [[2, 3, 5, 2 * pairs + 3], positionsOf(axes, 2, 5)],
        [[2, 3, 5, 2 * pairs], positionsOf(axes, 1, 5)],
      ] as const) {
        const x = random.tensor(shape);
        for (const rest of [{}, { interleaved: true, offset: 7 }]) {
          const options = { sections, positions, rotaryDim: 2 * pairs, ...rest };
          // As in rotaryEmbedding.test.ts.
          const tolerance = { atol: (4 * EPS + 2e-8) * maxAbs(x.data) };
          expectClose(rotaryEmbedding(x, options), reference(x, options), tolerance);
          expectClose(rotaryEmbeddingBackward(x, options), reference(x, options, -1), tolerance);
        }
      }
    },
  );

  test('gives the same as without sections if all axes have the same positions', () => {
    const x = random.tensor([2, 3, 4, 8]);
    const sections = [1, 3];
    for (const scaling of [undefined, { type: 'dynamic', factor: 4, originalMaxLength: 3 } as const]) {
      const options = { ...(scaling && { scaling }) };
      const plain = rotaryEmbedding(x, { ...options, positions: [3, 1, 4, 1] });
      const positions = [
        [3, 1, 4, 1],
        [3, 1, 4, 1],
      ];
      expect(rotaryEmbedding(x, { ...options, sections, positions: positions as never })).toEqual(plain);
      expect(rotaryEmbedding(x, { ...options, sections, offset: 2 })).toEqual(
        rotaryEmbedding(x, { ...options, offset: 2 }),
      );
    }
  });

  test('computes dynamic scaling from the positions of all axes', () => {
    const x = random.tensor([1, 4]);
    const scaling = { type: 'dynamic', factor: 4, originalMaxLength: 8 } as const;
    const turned = (positions: number[][]) =>
      rotaryEmbedding(x, { sections: [1, 1], positions: positions as never, scaling }).data;
    expect(turned([[20], [5]])[3]).not.toBe(turned([[7], [5]])[3]);
  });
});
