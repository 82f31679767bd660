import { describe, expect, test } from '@jest/globals';
import { raceCode } from '../../web/elements/complexity-race/code.js';
import type { RaceCurve } from '../../web/elements/complexity-race/plot.js';
import { crossingsLine } from '../../web/elements/complexity-race/words.js';
import type { Localised } from '../../web/elements/shared/localised.js';
import { timeText } from '../../web/elements/shared/numbers.js';
import { describeMachine } from '../../web/elements/complexity-race/machine.js';
import {
  CONTESTANTS,
  crossing,
  entriesUpTo,
  multiplyAdds,
  powerOfTwo,
  sizesAlong,
  type Contestant,
  type Size,
} from '../../web/elements/complexity-race/plan.js';
import { attentionMultiplyAdds, convolutionMultiplyAdds, recurrenceMultiplyAdds } from '../reference/complexity.js';
import { runModule } from '../support/runModule.js';
import { attention } from '../support/library.js';

describe('the plan', () => {
  test.each([
    [1, []],
    [2, [2]],
    [3, [2]],
    [4, [2, 4]],
    [12, [2, 4, 8]],
    [128, [2, 4, 8]],
  ])('on %d processors attention and the layer run on more threads, too: %j', (processors, more) => {
    expect(entriesUpTo(processors)).toEqual([
      ...CONTESTANTS.map((contestant) => ({ contestant, threads: 1 })),
      ...more.flatMap((threads) => [
        { contestant: 'attention', threads },
        { contestant: 'layer', threads },
      ]),
    ]);
  });

  test('counts the operations of the loops, with four projections for the whole layer', () => {
    const size: Size = { n: 6, d: 4, k: 3 };
    const expected: Readonly<Record<Contestant, number>> = {
      cnn: convolutionMultiplyAdds(6, 4, 3),
      rnn: recurrenceMultiplyAdds(6, 4),
      attention: attentionMultiplyAdds(6, 4),
      // A projection is a convolution with a kernel of 1.
      layer: attentionMultiplyAdds(6, 4) + 4 * convolutionMultiplyAdds(6, 4, 1),
    };
    for (const contestant of CONTESTANTS) {
      expect(multiplyAdds(attention, contestant, size)).toBe(expected[contestant]);
    }
  });

  test.each([
    ['n', 128, 5, 128, 320],
    ['d', 256, 5, 256, 102.4],
  ] as const)('along %s attention crosses the RNN at n = d and the CNN at n = kd/2', (axis, fixed, k, rnn, cnn) => {
    const sizes = sizesAlong(axis, { n: fixed, d: fixed, k });
    const curve = (contestant: Contestant) =>
      sizes.map((size) => ({ x: size[axis], y: multiplyAdds(attention, contestant, size) }));
    // Logarithms and their inverses round a few times in float64.
    expect(crossing(curve('attention'), curve('rnn'))?.x).toBeCloseTo(rnn, 8);
    expect(crossing(curve('attention'), curve('cnn'))?.x).toBeCloseTo(cnn, 8);
    expect(crossing(curve('layer'), curve('attention'))).toBeUndefined();
  });

  test('the whole layer always takes more than the RNN, and more than the CNN if k is at most 4', () => {
    for (const k of [1, 2, 3, 4, 5, 9]) {
      for (const axis of ['n', 'd'] as const) {
        const sizes = sizesAlong(axis, { n: 128, d: 128, k });
        const exceeds = (other: Contestant): boolean =>
          sizes.every((size) => multiplyAdds(attention, 'layer', size) > multiplyAdds(attention, other, size));
        expect(exceeds('rnn')).toBe(true);
        expect({ k, axis, exceeds: exceeds('cnn') }).toEqual({ k, axis, exceeds: k <= 4 });
      }
    }
  });

  test('projections are most of the layer until n reaches 2d', () => {
    const mixing = (n: number): number => multiplyAdds(attention, 'attention', { n, d: 64, k: 3 });
    const layer = (n: number): number => multiplyAdds(attention, 'layer', { n, d: 64, k: 3 });
    expect(layer(127) - mixing(127)).toBeGreaterThan(mixing(127));
    expect(layer(128) - mixing(128)).toBe(mixing(128));
  });

  test('skips points that only one of two curves has', () => {
    const first = [1, 2, 4, 8].map((x) => ({ x, y: x * x }));
    const second = [1, 8].map((x) => ({ x, y: 4 * x }));
    expect(crossing(first, second)?.x).toBeCloseTo(4, 12);
    expect(crossing(first, [])).toBeUndefined();
  });

  test('the text names crossings of the counts, and none of the times, which cross in their noise', () => {
    const text = (key: string, { list = '' }: { list?: string }) => (list === '' ? key : `${key}(${list})`);
    const words = { text, number: String } as unknown as Localised;
    const line = (along: readonly number[]) => along.map((y, k) => ({ x: 2 ** k, y }));
    const curve = (contestant: Contestant, counted: number[], measured: number[]) =>
      ({ contestant, counted: line(counted), measured: line(measured) }) as unknown as RaceCurve;
    const curves = [curve('attention', [1, 4, 16], [1, 4, 16]), curve('rnn', [2, 4.1, 8], [2, 3, 20])];
    expect(crossingsLine({ curves }, { words, axis: 'n' })).toBe('race.crossCounted(race.crossAt)');
    expect(crossingsLine({ curves: curves.slice(0, 1) }, { words, axis: 'n' })).toBe('');
  });

  test('has only powers of two', () => {
    expect(sizesAlong('n', { n: 64, d: 32, k: 3 }).map(({ n, d }) => [n, d])).toEqual(
      [16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192].map((n) => [n, 32]),
    );
    const setting = powerOfTwo('d', 128);
    expect(['16', '1024'].map((text) => setting.read(text))).toEqual([16, 1024]);
    for (const text of ['8', '2048', '100', '1e400', '', 'x', '-16']) expect(setting.read(text)).toBeUndefined();
  });
});

describe('the machine', () => {
  test('is named from client hints if there are any', async () => {
    const userAgentData = {
      brands: [
        { brand: 'Not;A=Brand', version: '8' },
        { brand: 'Chromium', version: '150' },
        { brand: 'Example Browser', version: '12' },
      ],
      platform: 'Linux',
      getHighEntropyValues: () => Promise.resolve({ architecture: 'x86', bitness: '64' }),
    };
    const described = await describeMachine({ userAgent: '', hardwareConcurrency: 4, userAgentData });
    expect(described).toEqual({ platform: 'Linux x86 64', browser: 'Example Browser 12', processors: 4 });
  });

  test.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'X11 Linux x86_64', 'Firefox 140'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 Safari/605.1.15',
      'Macintosh Intel Mac OS X 10_15_7',
      'Safari 18.4',
    ],
  ])('is read from %s', async (userAgent, platform, browser) => {
    expect(await describeMachine({ userAgent })).toEqual({ platform, browser, processors: undefined });
  });
});

test('axes are labelled in whole units', () => {
  // Powers of ten below 1 are rounded in binary; pages show three decimals.
  const number = (value: number): string => String(Number(value.toPrecision(12)));
  expect([-9, -7, -6, -5, -4, -3, -1, 0, 1].map((power) => timeText(10 ** power, number))).toEqual([
    ...['1 ns', '100 ns', '1 µs', '10 µs', '100 µs', '1 ms', '100 ms', '1 s', '10 s'],
  ]);
});

test('the JavaScript of the figure counts the same and times all four', async () => {
  const size: Size = { n: 32, d: 16, k: 5 };
  const lines = await runModule(raceCode(size).javascript);
  expect(lines.map((line) => line.split(' ').slice(0, 2))).toEqual(
    CONTESTANTS.map((contestant) => [contestant, String(multiplyAdds(attention, contestant, size))]),
  );
  for (const line of lines) expect(Number(/([\d.]+) ms$/.exec(line)?.[1])).toBeGreaterThan(0);
});
