/** The pure parts of the proof page. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openModel } from 'wasm-attention/models';
import agreement from '../../web/page/proof/agreement.json' with { type: 'json' };
import { encoder, head } from '../../web/page/proof/javascript.js';
import { limitModule } from '../../web/page/proof/limit.js';
import { cosine, encoderModel } from '../../web/page/proof/problems.js';
import {
  ENCODER,
  figuresOf,
  idOf,
  jsonOf,
  limitOf,
  readLink,
  rowsOf,
  WORK_NAMES,
  WORKS,
  writeLink,
} from '../../web/page/proof/results.js';
import { agreementTable } from '../../web/page/proof/template.js';
import { median, timeInTurns } from '../../web/page/proof/timing.js';
import { scaledDotProductAttention } from '../reference/scaledDotProductAttention.js';
import { expectClose } from '../support/close.js';
import { attention } from '../support/library.js';
import { textsOf } from '../support/proseFiles.js';
import { Random } from '../support/random.js';

const ids = WORK_NAMES.flatMap((work) => [
  limitOf(work),
  ...rowsOf(work).map(([type, side]) => idOf(work, type, side)),
]);

describe('the benchmark', () => {
  test('takes the middle of an odd and of an even number of samples', () => {
    expect([median([3, 1, 2]), median([4, 1, 3, 2]), median([5])]).toEqual([2, 2.5, 5]);
  });

  /** Contenders that take so many milliseconds of a clock. */
  function contest(...lengths: number[]) {
    let [now, order] = [0, ''];
    const contenders = lengths.map((length, i) => ({
      id: `${i}`,
      run: () => {
        now += length;
        order += String(i);
      },
    }));
    const shares: number[] = [];
    const budget = { warmUp: 10, samples: 100, sample: 20 };
    const timed = timeInTurns(
      contenders,
      budget,
      () => now,
      (share) => shares.push(share),
    );
    return timed.then((timings) => ({ timings, order, shares, spent: now }));
  }

  test('samples in turns, and only once what takes longer than all its samples', async () => {
    const { timings, order, shares, spent } = await contest(20, 50, 300);
    // A warm-up of one call each, then five, two and no samples.
    expect(order).toBe('0120101000');
    expect([...timings.values()]).toEqual([
      { median: 20, min: 20, samples: 5 },
      { median: 50, min: 50, samples: 2 },
      { median: 300, min: 300, samples: 1 },
    ]);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBeLessThan(1);
    expect(spent).toBe(370 + 100 + 100);
  });

  test('makes one sample of several short calls', async () => {
    const { timings, spent } = await contest(0.25);
    expect(timings.get('0')).toEqual({ median: 0.25, min: 0.25, samples: 5 });
    expect(spent).toBeCloseTo(10 + 5 * 20, 9);
  });

  test('ends within its budget, whatever the contenders take', async () => {
    const length = fc.double({ min: 0.01, max: 400, noNaN: true });
    await fc.assert(
      fc.asyncProperty(fc.array(length, { minLength: 1, maxLength: 6 }), async (lengths) => {
        const { spent } = await contest(...lengths);
        // The last call of the warm-up and the last sample may run over.
        const most = lengths.reduce((sum, each) => sum + 110 + Math.max(2 * each, 20 + 2 * each), 0);
        expect(spent).toBeLessThanOrEqual(most);
      }),
      { numRuns: 50 },
    );
  });

  test('relates each row to its limit and to its peers', () => {
    const times = new Map([
      [limitOf('product'), 0.1],
      [idOf('product', 'float32', 'all'), 10],
      [idOf('product', 'float32', 'javascript'), 200],
      [idOf('product', 'int8', 'one'), 5],
      [idOf('product', 'int8', 'ort'), 15],
    ]);
    const results = { threads: 2, times };
    const rate = (2 * 512 ** 3) / 10 / 1e6;
    // 12 chains of four lanes, a multiplication and an addition each, 20,000 times in 0.1 ms.
    const limit = (2 * 4 * 12 * 20_000) / 0.1 / 1e6;
    expect(figuresOf(results, 'product', 'float32', 'all')).toEqual({
      milliseconds: 10,
      rate,
      share: rate / (2 * limit),
      javascript: 20,
      ort: undefined,
    });
    expect(figuresOf(results, 'product', 'int8', 'one')).toMatchObject({
      share: (2 * rate) / limit,
      javascript: 40,
      ort: 3,
    });
    expect(figuresOf(results, 'product', 'float32', 'javascript')).toMatchObject({
      javascript: undefined,
      ort: undefined,
    });
    expect(figuresOf(results, 'encoder', 'int8', 'one')).toEqual({});
  });

  test('counts the operations of its works', () => {
    expect(WORKS.attention).toBe(8 * (2 * 512 * 512 * 64 + 2 * 512 * 512 * 64));
    const perLayer = 4 * 2 * 128 * 384 * 384 + 2 * 2 * 128 * 128 * 384 + 2 * 2 * 128 * 384 * 1536;
    expect(WORKS.encoder).toBe(6 * perLayer);
  });
});

describe('a link to results', () => {
  const time = fc.double({ min: 1e-4, max: 9e5, noNaN: true });
  const results = fc.record({
    threads: fc.integer({ min: 1, max: 64 }),
    times: fc.uniqueArray(fc.tuple(fc.constantFrom(...ids), time), { selector: ([id]) => id, minLength: 1 }),
  });

  test('has them all, and keeps the rest of the address', () => {
    fc.assert(
      fc.property(results, ({ threads, times }) => {
        const link = new URL(
          writeLink('https://a.example/en/proof/?quick=1&times=old#speed', { threads, times: new Map(times) }),
        );
        expect([link.searchParams.get('quick'), link.hash]).toEqual(['1', '']);
        expect(link.search).not.toContain('%');
        const read = readLink(link.search)!;
        expect(read.threads).toBe(threads);
        expect([...read.times]).toEqual(times);
      }),
    );
  });

  test('is harmless, whatever it says', () => {
    for (const search of [
      '',
      '?times=',
      '?times=a-1',
      '?times=product.limit-0',
      '?times=product.limit-x',
      '?threads=4',
    ]) {
      expect(readLink(search)).toBeUndefined();
    }
    expect(readLink('?threads=999&times=product.limit-1_constructor-2_product.limit.one-3')).toEqual({
      threads: 1,
      times: new Map([['product.limit', 1]]),
    });
    fc.assert(
      fc.property(fc.string(), (text) => {
        const read = readLink(`?times=${text}`);
        for (const [id, each] of read?.times ?? []) expect(ids.includes(id) && each > 0).toBe(true);
      }),
    );
  });
});

test('the JSON has a row for each contender that was measured', () => {
  const timings = new Map([[idOf('decoding', 'int8', 'one'), { median: 2, min: 1, samples: 3 }]]);
  const results = { threads: 1, times: new Map([[idOf('decoding', 'int8', 'one'), 2]]) };
  expect(JSON.parse(jsonOf(results, timings, { userAgent: 'x' }))).toEqual({
    userAgent: 'x',
    threads: 1,
    rows: [
      {
        work: 'decoding',
        type: 'int8',
        side: 'one',
        median: 2,
        min: 1,
        samples: 3,
        milliseconds: 2,
        rate: WORKS.decoding / 2e6,
      },
    ],
  });
});

test('the limit is a module that computes its chains', async () => {
  const { instance } = await WebAssembly.instantiate(limitModule(false));
  const run = instance.exports.run as (steps: number) => number;
  expect([1, 2, 100].map((steps) => run(steps))).toEqual([12 * 0.75, 12 * 0.875, 12]);
  expect(limitModule(true).length).toBeLessThan(limitModule(false).length);
});

describe('the loops in JavaScript', () => {
  test('compute attention', () => {
    const random = new Random(1);
    const [q, k, v] = [1, 2, 3].map(() => random.tensor([9, 4])) as [never, never, never];
    const { output } = scaledDotProductAttention(q, k, v, {});
    const [a, b, c] = [q, k, v].map(({ data }: { data: Float32Array }) => data) as [
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    expectClose({ data: head(a, b, c, 9, 4), shape: [9, 4] }, output, { atol: 1e-6 });
  });

  test('compute the encoder', async () => {
    const { config, tensors, ids: tokens } = encoderModel();
    const model = await openModel({ config, weights: tensors, attention });
    const { hidden } = model.forward(tokens);
    expect(hidden.shape).toEqual([1, ENCODER.tokens, ENCODER.width]);
    const found = encoder(ENCODER, tensors, tokens)();
    expect(cosine(found, hidden.data)).toBeGreaterThan(1 - 1e-9);
    expect(cosine(found.toReversed(), hidden.data)).toBeLessThan(0.5);
    model.dispose();
  });
});

test.each(['en', 'ko'])('the table in %s has every row of the file', (language) => {
  const strings = textsOf(language).proof as never;
  for (const group of ['op', 'layer', 'model'] as const) {
    const rows = agreement.filter((row) => row.group === group);
    const html = agreementTable(language, strings, group);
    expect(html.match(/<tr>/g)).toHaveLength(rows.length + 1);
    const spans = [...html.matchAll(/rowspan="(\d+)"/g)].map(([, count]) => Number(count));
    expect(spans.reduce((a, b) => a + b, 0)).toBe(rows.length);
    expect(html).not.toMatch(/undefined|NaN|models\//);
  }
});
