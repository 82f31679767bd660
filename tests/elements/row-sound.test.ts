import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { tonesOf } from '../../web/elements/shared/heat-map/row-sound.js';

test('each cell of a row is a tone as loud as its weight, and a masked one a click', () => {
  const map = { values: [9, 9, 9, 0.2, 0, 0.4], columns: 3, mask: [1, 1, 1, 1, 1, 0] };
  const tones = tonesOf(map, 1);
  expect(tones.map(({ kind }) => kind)).toEqual(['tone', 'tone', 'click']);
  expect(tones.map(({ gain }) => gain > 0)).toEqual([true, false, true]);
  expect(tones[0]!.gain).toBe(1);
  expect(tonesOf({ values: [0.25, 1, 0.5], columns: 3 }, 0).map(({ gain }) => gain)).toEqual([0.25, 1, 0.5]);
  expect(tones[2]!.frequency).toBeLessThan(tones[0]!.frequency / 2);
});

test('pitch tells the sign, and loudness the size', () => {
  const [low, high, other] = tonesOf({ values: [-2, 1, -0.5], columns: 3 }, 0);
  expect(low!.frequency).toBeLessThan(high!.frequency / 2);
  expect(other!.frequency).toBe(low!.frequency);
  expect([low!.gain, high!.gain, other!.gain]).toEqual([1, 0.5, 0.25]);
});

test('what is no number is silent, and −∞ a click', () => {
  const tones = tonesOf({ values: [NaN, -Infinity, 1, Infinity], columns: 4 }, 0);
  expect(tones.map(({ kind, gain }) => `${kind} ${gain > 0}`)).toEqual([
    'tone false',
    'click true',
    'tone true',
    'tone false',
  ]);
});

test('any row lasts two seconds at most, tone after tone, and keeps its peaks', () => {
  const cases = fc.record({
    columns: fc.integer({ min: 1, max: 3000 }),
    peak: fc.nat(),
    masked: fc.nat(),
  });
  fc.assert(
    fc.property(cases, ({ columns, peak, masked }) => {
      const at = peak % columns;
      const values = Array.from({ length: columns }, (_, i) => (i === at ? -1 : 0.25));
      const end = masked % (columns + 1);
      const tones = tonesOf({ values, columns, validColumns: end }, 0);
      const last = tones.at(-1)!;
      expect(last.onset + last.length).toBeLessThanOrEqual(2 + 1e-9);
      expect(tones.length).toBeLessThanOrEqual(50);
      for (const [i, { onset, length }] of tones.entries()) {
        expect(onset).toBeCloseTo(i * length, 9);
        expect(length).toBeGreaterThan(0.03);
      }
      const size = Math.ceil(columns / tones.length);
      const own = tones[Math.floor(at / size)]!;
      if (at < end) expect([own.gain, own.kind, own.frequency < 300]).toEqual([1, 'tone', true]);
      const clicks = tones.filter(({ kind }) => kind === 'click').length;
      expect(clicks).toBe(tones.filter((_, i) => i * size >= end).length);
    }),
  );
});
