import { describe, expect, test } from '@jest/globals';
import { rotaryEmbedding as reference } from '../reference/rotaryEmbedding.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { expectFixture, loadFixtures } from '../support/fixtures.js';
import { rotaryEmbedding } from '../support/library.js';
import { Random } from '../support/random.js';
import { rotaryCases } from '../support/rotaryCases.js';
import { SIZES } from '../support/sizes.js';

/**
 * Sine and cosine are off by EPS/4 (half an ulp below 1) and 1e-8, in each of two terms; two products and their sum are
 * each rounded once. Products and sum are up to twice the largest element.
 */
const tolerance = (x: { data: ArrayLike<number> }) => ({ atol: (3 * EPS + 2e-8) * maxAbs(x.data) });

describe('rotaryEmbedding agrees with PyTorch', () => {
  test.each(rotaryCases())('on $name', ({ x, options, expected }) => {
    expectFixture(rotaryEmbedding(x, options), expected.output);
  });

  test.each(loadFixtures('positional', /^rope_half_relative/))('on $name', (fixture) => {
    const positions = fixture.input('positions').data;
    const { rotary_dim: d } = fixture.attributes as { rotary_dim: number };
    const n = positions.length;
    const rotated = (name: string) => {
      const rows = {
        data: Float32Array.from({ length: n * d }, (_, at) => fixture.input(name).data[at % d]!),
        shape: [n, d],
      };
      return rotaryEmbedding(rows, { positions }).data;
    };
    const [q, k] = [rotated('q'), rotated('k')];
    const scores = Float64Array.from({ length: n * n }, (_, at) => {
      const [i, j] = [Math.floor(at / n), at % n];
      return q.subarray(i * d, (i + 1) * d).reduce((sum, a, e) => sum + a * k[j * d + e]!, 0);
    });
    expectFixture({ data: scores, shape: [n, n] }, fixture.output('scores'));
  });
});

describe.each([false, true])('rotaryEmbedding with interleaved: %s agrees with the oracle', (interleaved) => {
  test.each(SIZES)('for %i pairs and 1 to 3 heads', (half) => {
    for (const heads of [1, 2, 3]) {
      for (const n of [1, 5]) {
        const x = new Random(half).tensor([1, heads, n, 2 * half]);
        const before = [...x.data];
        const options = { interleaved, offset: 3 };
        expectClose(rotaryEmbedding(x, options), reference(x, options), tolerance(x));
        expect([...x.data]).toEqual(before);
      }
    }
  });

  test('for part of the width, and copies the rest to the bit', () => {
    for (const [width, rotaryDim] of [
      [9, 2],
      [9, 8],
      [64, 16],
      [80, 32],
      [5, 4],
    ] as const) {
      const x = new Random(width).tensor([2, 3, 7, width]);
      const y = rotaryEmbedding(x, { interleaved, rotaryDim });
      expectClose(y, reference(x, { interleaved, rotaryDim }), tolerance(x));
      const rest = (data: Float32Array) => data.filter((_, at) => at % width >= rotaryDim);
      expect(rest(y.data)).toEqual(rest(x.data));
    }
  });

  test('for inputs that are longer and larger than a block of the kernel', () => {
    const random = new Random(1);
    for (const shape of [
      [1, 1, 3000, 64],
      [3, 5, 700, 20],
      [7, 1, 64],
    ] as const) {
      const x = random.tensor(shape);
      const [n, d] = shape.slice(-2) as [number, number];
      const given = { interleaved, cos: random.tensor([n, d / 2]), sin: random.tensor([n, d / 2]) };
      expectClose(rotaryEmbedding(x, given), reference(x, given), { atol: 2 * EPS * 20 });
    }
    // More than a thousand heads, in sequences with their own positions.
    const x = random.tensor([3, 1500, 2, 64]);
    const positions = { data: [0, 1, 9, 2, 4, 4], shape: [3, 2] };
    const given = { interleaved, positions, cos: random.tensor([10, 32]), sin: random.tensor([10, 32]) };
    expectClose(rotaryEmbedding(x, given), reference(x, given), { atol: 2 * EPS * 20 });
  });

  test('for inputs of rank 2 to 5, with positions for each sequence or for all', () => {
    for (const shape of [
      [4, 6],
      [2, 4, 6],
      [2, 3, 4, 6],
      [2, 2, 3, 4, 6],
    ]) {
      const x = new Random(shape.length).tensor(shape);
      const shared = { data: [7, 0, 3, 100], shape: [4] };
      expectClose(
        rotaryEmbedding(x, { interleaved, positions: shared.data }),
        reference(x, { interleaved, positions: shared }),
        tolerance(x),
      );
      const each = {
        data: [7, 0, 3, 100, 2, 2, 1, 50].slice(0, shape.length > 2 ? 8 : 4),
        shape: [shape.length > 2 ? 2 : 1, 4],
      };
      expectClose(
        rotaryEmbedding(x, { interleaved, positions: each, offset: 2 }),
        reference(x, { interleaved, positions: each, offset: 2 }),
        tolerance(x),
      );
    }
  });

  test.each([1_000_000, 9_999_990, 2 ** 24 - 33])('exactly at positions from %i on', (offset) => {
    const x = new Random(5).tensor([33, 34]);
    for (const base of [10000, 500000]) {
      expectClose(
        rotaryEmbedding(x, { interleaved, offset, base }),
        reference(x, { interleaved, offset, base }),
        tolerance(x),
      );
    }
    const positions = Array.from({ length: 33 }, (_, i) => offset + ((7 * i) % 33));
    const expected = reference(x, { interleaved, positions: { data: positions, shape: [33] } });
    expectClose(rotaryEmbedding(x, { interleaved, positions }), expected, tolerance(x));
  });

  test('with given tables, at given positions, with and without an offset', () => {
    const random = new Random(6);
    const x = random.tensor([2, 3, 4, 10]);
    const [cos, sin] = [random.tensor([20, 3]), random.tensor([20, 3])];
    const given = { interleaved, rotaryDim: 6, cos, sin };
    expectClose(rotaryEmbedding(x, given), reference(x, given), tolerance(x));
    expectClose(rotaryEmbedding(x, { ...given, offset: 16 }), reference(x, { ...given, offset: 16 }), tolerance(x));
    const positions = { data: [19, 0, 5, 5, 1, 2, 3, 4], shape: [2, 4] };
    expectClose(rotaryEmbedding(x, { ...given, positions }), reference(x, { ...given, positions }), tolerance(x));
  });

  test('with given tables that have a row for each token', () => {
    const random = new Random(7);
    const x = random.tensor([2, 3, 4, 6]);
    const given = { interleaved, cos: random.tensor([2, 4, 3]), sin: random.tensor([2, 4, 3]) };
    expectClose(rotaryEmbedding(x, given), reference(x, given), tolerance(x));
    const one = { interleaved, cos: random.tensor([1, 4, 3]), sin: random.tensor([1, 4, 3]) };
    const repeated = { interleaved, cos: { ...one.cos, shape: [4, 3] }, sin: { ...one.sin, shape: [4, 3] } };
    expect(rotaryEmbedding(x, one)).toEqual(rotaryEmbedding(x, repeated));
  });
});
