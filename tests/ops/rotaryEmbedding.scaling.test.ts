import { describe, expect, test } from '@jest/globals';
import type { RotaryScaling } from 'wasm-attention';
import {
  rotaryEmbedding as reference,
  scaledFrequencies,
  type ScalingReference,
} from '../reference/rotaryEmbedding.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { expectFixture, loadFixtures } from '../support/fixtures.js';
import { rotaryEmbedding, rotaryEmbeddingBackward } from '../support/library.js';
import { Random } from '../support/random.js';

const LLAMA = {
  type: 'llama3',
  factor: 8,
  originalMaxLength: 8192,
  lowFreqFactor: 1,
  highFreqFactor: 4,
} as const;

describe('rotaryEmbedding with scaling', () => {
  test.each<[string, number, number, ScalingReference]>([
    ['linear', 10000, 64, { type: 'linear', factor: 4 }],
    ['linear by a fraction', 10000, 64, { type: 'linear', factor: 2.5 }],
    ['ntk', 10000, 64, { type: 'ntk', factor: 8 }],
    ['yarn', 10000, 128, { type: 'yarn', factor: 16, originalMaxLength: 4096 }],
    [
      'yarn with other betas',
      1000000,
      64,
      { type: 'yarn', factor: 4, originalMaxLength: 32768, betaFast: 64, betaSlow: 2 },
    ],
    ['yarn with equal betas', 10000, 32, { type: 'yarn', factor: 2, originalMaxLength: 512, betaFast: 4, betaSlow: 4 }],
    ['llama3', 500000, 128, LLAMA],
    ['llama3 with the factor of Llama 3.2', 500000, 64, { ...LLAMA, factor: 32 }],
  ])('agrees with the published formula of %s', (_name, base, dim, scaling) => {
    const { frequencies, amplitude } = scaledFrequencies(base, dim, scaling);
    for (const offset of [0, 5000, 1_000_000]) {
      const x = new Random(offset).tensor([3, 5, dim]);
      const expected = reference(x, { offset, frequencies, amplitude });
      // As without scaling, with one more rounding for the amplitude. The oracle computes this angle in float64, off by
      // 4·2^-53 of itself.
      const atol = (4 * EPS + 2e-8 + 2 * offset * 2 ** -51) * maxAbs(x.data) * amplitude;
      expectClose(rotaryEmbedding(x, { base, offset, scaling }), expected, { atol });
    }
  });

  const dynamic = { type: 'dynamic', factor: 4, originalMaxLength: 100 } as const;
  const divisors = (seed: number) => Array.from(new Random(seed).tensor([16]).data, (x) => 1.5 + Math.tanh(x));
  const longrope = {
    type: 'longrope',
    factor: 8,
    originalMaxLength: 100,
    shortFactor: divisors(1),
    longFactor: divisors(2),
  } as const;

  test.each<[string, (ScalingReference & typeof dynamic) | typeof longrope]>([
    ['dynamic', dynamic],
    ['longrope', longrope],
    ['longrope with another attention factor', { ...longrope, attentionFactor: 1.5 } as never],
  ])('agrees with the published formula of %s at either side of the length of the training', (_name, scaling) => {
    const [rows, dim] = [5, 32];
    const x = new Random(3).tensor([rows, dim]);
    for (const last of [4, 98, 99, 100, 5000]) {
      const offset = last - rows + 1;
      const { frequencies, amplitude } = scaledFrequencies(10000, dim, scaling, last + 1);
      const expected = reference(x, { offset, frequencies, amplitude });
      const atol = (4 * EPS + 2e-8 + 2 * offset * 2 ** -51) * maxAbs(x.data) * amplitude;
      expectClose(rotaryEmbedding(x, { offset, scaling }), expected, { atol });
      // The largest position counts, wherever it is.
      const positions = Array.from({ length: rows }, (_, i) => last - i);
      const turned = reference(x, {
        positions: { data: positions, shape: [rows] },
        frequencies,
        amplitude,
      });
      expectClose(rotaryEmbedding(x, { positions, scaling }), turned, { atol });
    }
  });

  test.each(loadFixtures('modern', /^rope_(dynamic|longrope)/))('agrees with transformers on $name', (fixture) => {
    const { kind, base, scaling } = fixture.attributes as { kind: string; base: number; scaling: object };
    const options = {
      base,
      positions: fixture.input('positions'),
      scaling: { type: kind, ...scaling } as RotaryScaling,
    };
    expectFixture(rotaryEmbedding(fixture.input('x'), options), fixture.output('output'));
    expectFixture(rotaryEmbeddingBackward(fixture.input('G'), options), fixture.output('grad:x'));
  });

  test('treats position p with linear scaling like p/factor without', () => {
    const x = new Random(1).tensor([4, 8]);
    const scaled = rotaryEmbedding(x, {
      positions: [8, 16, 24, 400],
      scaling: { type: 'linear', factor: 8 },
    });
    expectClose(scaled, rotaryEmbedding(x, { positions: [1, 2, 3, 50] }), { atol: 2 * EPS * maxAbs(x.data) });
  });

  test('keeps the fastest pair of llama3 and divides the slowest', () => {
    const dim = 128;
    const x = { data: new Float32Array(dim).fill(0), shape: [1, dim] };
    x.data[0] = x.data[63] = 1;
    const y = rotaryEmbedding(x, { base: 500000, offset: 100, scaling: LLAMA }).data;
    expect(y[0]).toBeCloseTo(Math.cos(100), 6);
    expect(y[127]).toBeCloseTo(Math.sin((100 * 500000 ** (-126 / 128)) / 8), 8);
  });

  test("multiplies by yarn's attention factor, whose default is 0.1·ln(factor) + 1", () => {
    const yarn = { type: 'yarn', factor: 4, originalMaxLength: 2048 } as const;
    expect(rotaryEmbedding([[1, 0]], { scaling: yarn }).data[0]).toBeCloseTo(1.138629436, 6);
    expect(rotaryEmbedding([[1, 0]], { scaling: { ...yarn, attentionFactor: 1 } }).data[0]).toBe(1);
    expect(rotaryEmbedding([[1, 0]], { scaling: { ...yarn, factor: 1 } }).data[0]).toBe(1);
  });

  test('does not round the bounds of the yarn ramp to whole pairs with truncate: false', () => {
    const yarn = { type: 'yarn', factor: 32, originalMaxLength: 4096, attentionFactor: 1 } as const;
    const [base, dim, position] = [150000, 64, 40];
    const bound = (turns: number) => (dim * Math.log(4096 / (2 * Math.PI * turns))) / (2 * Math.log(base));
    const [low, high] = [bound(32), bound(1)];
    const x = { data: new Float32Array(dim), shape: [1, dim] };
    const j = Math.ceil(low);
    x.data[j] = 1;
    const y = rotaryEmbedding(x, { base, offset: position, scaling: { ...yarn, truncate: false } });
    const part = (j - low) / (high - low);
    const w = base ** ((-2 * j) / dim) * (1 - part + part / 32);
    expect(y.data[j + 32]).toBeCloseTo(Math.sin(position * w), 6);
    const cut = rotaryEmbedding(x, { base, offset: position, scaling: yarn }).data[j + 32]!;
    expect(Math.abs(cut - y.data[j + 32]!)).toBeGreaterThan(1e-4);
  });
});
