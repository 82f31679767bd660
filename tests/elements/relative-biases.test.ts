import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  biasOf,
  domainOf,
  rowsOf,
  SCHEMES,
  slopeOf,
  tableOf,
  TOKENS,
  valuesOf,
  type BiasSettings,
} from '../../web/elements/relative-biases/bias.js';
import { biasCode } from '../../web/elements/relative-biases/code.js';
import { attention } from '../support/library.js';
import { runModule } from '../support/runModule.js';

const given: fc.Arbitrary<BiasSettings> = fc
  .record({
    scheme: fc.constantFrom(...SCHEMES),
    heads: fc.integer({ min: 1, max: 16 }),
    share: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    buckets: fc.integer({ min: 2, max: 8 }).map((half) => 2 * half),
    distance: fc.integer({ min: 9, max: TOKENS }),
    bidirectional: fc.boolean(),
    clip: fc.integer({ min: 1, max: 12 }),
    causal: fc.boolean(),
  })
  .map(({ share, ...rest }) => ({ ...rest, head: 1 + Math.floor(share * rest.heads) }));

/** The slopes as the authors' code computes them: other numbers of heads add every other slope of twice as many. */
function slopes(heads: number): number[] {
  const power = 2 ** Math.floor(Math.log2(heads));
  const own = Array.from({ length: power }, (_, t) => (2 ** (-8 / power)) ** (t + 1));
  if (power === heads) return own;
  return [...own, ...slopes(2 * power).filter((_, t) => t % 2 === 0)].slice(0, heads);
}

/** T5's bucket of a distance, by searching for the last bucket that begins at or before it. */
function bucket(offset: number, { buckets, distance, bidirectional }: BiasSettings): number {
  const half = bidirectional ? buckets / 2 : buckets;
  const length = bidirectional ? Math.abs(offset) : Math.max(0, -offset);
  const exact = Math.floor(half / 2);
  // Bucket exact + m begins where exact·(distance / exact)^(m / (half − exact)) does, or is the last one.
  let at = Math.min(length, exact);
  while (
    at >= exact &&
    at < half - 1 &&
    length >= exact * (distance / exact) ** ((at + 1 - exact) / (half - exact)) * (1 - 1e-6)
  )
    ++at;
  return at + (bidirectional && offset > 0 ? half : 0);
}

/** The bias at an offset in float64, and its row in the table. */
function exact(settings: BiasSettings, offset: number): { value: number; row: number } {
  const { scheme, heads, head, clip } = settings;
  if (scheme === 'alibi') return { value: -slopes(heads)[head - 1]! * Math.abs(offset), row: offset + TOKENS - 1 };
  if (scheme === 'shaw') {
    const clipped = Math.max(-clip, Math.min(clip, offset));
    return { value: clipped, row: clipped + clip };
  }
  const row = bucket(offset, settings);
  const multiple = (row + 1) * 0.618034;
  return { value: 2 * (multiple - Math.floor(multiple)) - 1, row };
}

describe('the map', () => {
  test('has each scheme’s bias at the offset of each pair, and none if the mask hides the key', () => {
    fc.assert(
      fc.property(given, (settings) => {
        const bias = biasOf(attention, settings);
        expect(bias).toHaveLength(TOKENS ** 2);
        const [low, high] = domainOf(attention, settings);
        const wanted = Array.from({ length: 2 * TOKENS - 1 }, (_, at) => exact(settings, at - (TOKENS - 1)));
        const wrong = Array.from(bias, (value, at) => [Math.floor(at / TOKENS), at % TOKENS, value] as const).filter(
          ([i, j, value]) => {
            if (settings.causal && j > i) return value !== -Infinity;
            const { value: exactly } = wanted[j - i + TOKENS - 1]!;
            // One rounding to float32, of numbers up to 17.
            const near = Math.abs(value - exactly) <= 2 ** -24 * Math.max(1, Math.abs(exactly));
            return !(near && value >= low * (1 + 2 ** -23) && value <= high);
          },
        );
        expect(wrong).toEqual([]);
      }),
    );
  });

  test('has the same colours for all heads: the steepest one reaches the end', () => {
    const settings = { buckets: 8, distance: 16, bidirectional: true, clip: 4, causal: true } as const;
    const most = (head: number): number =>
      biasOf(attention, { ...settings, scheme: 'alibi', heads: 8, head })[(TOKENS - 1) * TOKENS]!;
    const domain = (head: number) => domainOf(attention, { ...settings, scheme: 'alibi', heads: 8, head });
    expect(domain(1)).toEqual([most(1), 0]);
    expect(domain(8)).toEqual(domain(1));
    // −16.263, rounded outwards for the legend.
    expect(domainOf(attention, { ...settings, scheme: 'alibi', heads: 12, head: 1 })).toEqual([-16.3, 0]);
    expect(most(1) / most(8)).toBe(128);
    expect(slopeOf(attention, { ...settings, scheme: 'alibi', heads: 8, head: 3 })).toBe(0.125);
  });
});

describe('the bars', () => {
  test('have the row and the value of each visible offset', () => {
    fc.assert(
      fc.property(given, (settings) => {
        const rows = rowsOf(attention, settings);
        expect(rows).toHaveLength(settings.causal ? TOKENS : 2 * TOKENS - 1);
        const values = valuesOf(biasOf(attention, settings), rows.length);
        const table = tableOf(settings);
        const wanted = Array.from(rows, (_, at) => exact(settings, at - (TOKENS - 1)));
        expect([...rows]).toEqual(wanted.map(({ row }) => row));
        const far = wanted.map(({ value }, at) => Math.abs(values[at]! - value));
        expect(far.every((distance) => distance < 2e-6)).toBe(true);
        if (settings.scheme !== 'alibi') expect([...values]).toEqual(Array.from(rows, (row) => table[row]));
      }),
    );
  });

  test('of neighbouring buckets differ visibly, whatever their number', () => {
    for (let buckets = 4; buckets <= 16; buckets += 2) {
      const table = tableOf({ scheme: 't5', buckets } as BiasSettings);
      expect(new Set(table).size).toBe(buckets);
      for (let row = 1; row < buckets; ++row) expect(Math.abs(table[row]! - table[row - 1]!)).toBeGreaterThan(0.7);
    }
  });
});

test.each(SCHEMES)('the code for %s prints the map', async (scheme) => {
  for (const causal of [true, false]) {
    const settings = {
      scheme,
      heads: 6,
      head: 5,
      buckets: 10,
      distance: 20,
      bidirectional: !causal,
      clip: 3,
      causal,
    };
    const lines = await runModule(biasCode(settings).javascript);
    const printed = lines.map((line) => line.split(' ').map(Number));
    expect(printed).toHaveLength(TOKENS);
    // The code prints −0 where the map has 0.
    expect(printed.flat().map((value) => value + 0)).toEqual(
      Array.from(biasOf(attention, settings), (value) => value + 0),
    );
  }
});
