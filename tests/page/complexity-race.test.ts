import { describe, expect, test } from '@jest/globals';
import { raceCode } from '../../web/elements/complexity-race/code.js';
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
import { measure, median } from '../../web/elements/complexity-race/timing.js';
import {
  attentionMultiplyAdds,
  convolutionMultiplyAdds,
  recurrenceMultiplyAdds,
} from '../reference/complexity.js';
import { runModule } from '../support/runModule.js';
import { attention } from '../support/library.js';

const BUDGET = { sample: 5, long: 1000, point: 150 };

/** A clock of the given tick in milliseconds, and a call that takes `each`; `pause` adds to the first of all calls. */
function machine({ each, tick, pause = 0 }: { each: number; tick: number; pause?: number }) {
  let time = 0;
  let calls = 0;
  return {
    run: () => {
      time += each + (calls === 0 ? pause : 0);
      ++calls;
    },
    now: () => Math.floor(time / tick) * tick,
    calls: () => calls,
  };
}

describe('the time of a point', () => {
  test.each([
    ['far below the tick of the clock', 0.002, 0.1],
    ['with a clock of whole milliseconds', 0.03, 1],
    ['of some milliseconds', 7, 0.1],
  ])('is the time of a call %s', (_, each, tick) => {
    const { run, now } = machine({ each, tick });
    const { milliseconds, runs } = measure(run, BUDGET, now);
    // A sample of at least 5 ms starts and ends up to a tick away from where the clock says.
    expect(Math.abs(milliseconds / each - 1)).toBeLessThanOrEqual(tick / 2.5);
    expect(runs).toBeGreaterThanOrEqual(3);
  });

  test('does not come out as zero where the first call meets a pause', () => {
    const { run, now } = machine({ each: 0.002, tick: 0.1, pause: 20 });
    const { milliseconds } = measure(run, BUDGET, now);
    expect(Math.abs(milliseconds / 0.002 - 1)).toBeLessThanOrEqual(0.1 / 2.5);
  });

  test('is one long call, and keeps to the budget otherwise', () => {
    const long = machine({ each: 1500, tick: 0.1 });
    expect(measure(long.run, BUDGET, long.now)).toEqual({ milliseconds: 1500, runs: 1 });
    expect(long.calls()).toBe(1);
    const medium = machine({ each: 400, tick: 0.1 });
    expect(measure(medium.run, BUDGET, medium.now).runs).toBe(3);
    const short = machine({ each: 10, tick: 0.1 });
    measure(short.run, BUDGET, short.now);
    expect(short.calls()).toBe(16);
  });

  test('is the median', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([7])).toBe(7);
  });
});

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

  test('counts what the loops make, with four projections for the whole layer', () => {
    const size: Size = { n: 6, d: 4, k: 3 };
    const expected: Readonly<Record<Contestant, number>> = {
      cnn: convolutionMultiplyAdds(6, 4, 3),
      rnn: recurrenceMultiplyAdds(6, 4),
      attention: attentionMultiplyAdds(6, 4),
      // A projection is a convolution of one tap.
      layer: attentionMultiplyAdds(6, 4) + 4 * convolutionMultiplyAdds(6, 4, 1),
    };
    for (const contestant of CONTESTANTS) {
      expect(multiplyAdds(attention, contestant, size)).toBe(expected[contestant]);
    }
  });

  test.each([
    ['n', 128, 5, 128, 320],
    ['d', 256, 5, 256, 102.4],
  ] as const)(
    'along %s attention crosses the RNN at n = d and the CNN at n = kd/2',
    (axis, fixed, k, rnn, cnn) => {
      const sizes = sizesAlong(axis, { n: fixed, d: fixed, k });
      const curve = (contestant: Contestant) =>
        sizes.map((size) => ({ x: size[axis], y: multiplyAdds(attention, contestant, size) }));
      // Logarithms and their inverses round a few times in float64.
      expect(crossing(curve('attention'), curve('rnn'))?.x).toBeCloseTo(rnn, 8);
      expect(crossing(curve('attention'), curve('cnn'))?.x).toBeCloseTo(cnn, 8);
      expect(crossing(curve('layer'), curve('attention'))).toBeUndefined();
    },
  );

  test('the whole layer takes more than the RNN always, and more than the CNN always if k is at most 4', () => {
    for (const k of [1, 2, 3, 4, 5, 9]) {
      for (const axis of ['n', 'd'] as const) {
        const sizes = sizesAlong(axis, { n: 128, d: 128, k });
        const exceeds = (other: Contestant): boolean =>
          sizes.every(
            (size) => multiplyAdds(attention, 'layer', size) > multiplyAdds(attention, other, size),
          );
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

  test('passes over points that one of two curves lacks', () => {
    const first = [1, 2, 4, 8].map((x) => ({ x, y: x * x }));
    const second = [1, 8].map((x) => ({ x, y: 4 * x }));
    expect(crossing(first, second)?.x).toBeCloseTo(4, 12);
    expect(crossing(first, [])).toBeUndefined();
  });

  test('has powers of two only', () => {
    expect(sizesAlong('n', { n: 64, d: 32, k: 3 }).map(({ n, d }) => [n, d])).toEqual(
      [16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192].map((n) => [n, 32]),
    );
    const setting = powerOfTwo('d', 128);
    expect(['16', '1024'].map((text) => setting.read(text))).toEqual([16, 1024]);
    for (const text of ['8', '2048', '100', '1e400', '', 'x', '-16'])
      expect(setting.read(text)).toBeUndefined();
  });
});

describe('the machine', () => {
  test('is named from client hints where there are any', async () => {
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
    [
      'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      'X11 Linux x86_64',
      'Firefox 140',
    ],
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
