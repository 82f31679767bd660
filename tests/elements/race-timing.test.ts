/** The race's measurement of a call, by coarse clocks. */
import { describe, expect, test } from '@jest/globals';
import { measure, median } from '../../web/elements/complexity-race/timing.js';

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
    // A sample of at least 5 ms starts and ends up to a tick away from the clock's time.
    expect(Math.abs(milliseconds / each - 1)).toBeLessThanOrEqual(tick / 2.5);
    expect(runs).toBeGreaterThanOrEqual(3);
  });

  test('is not zero if the first call meets a pause', () => {
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
