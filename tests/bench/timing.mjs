/**
 * Interleaved timing: every contender takes one sample a round, A B C A B C …, so that a machine that slows down or
 * speeds up during the run does so for all of them.
 */
import { usage } from './host.mjs';

/** @typedef {{ name: string, run: () => unknown, beforeSample?: (calls: number) => unknown }} Contender */

/** `cpu`: on a busy machine, what the clock on the wall should have said. */
const clocks = { wall: () => performance.now(), cpu: usage };

/** Milliseconds: for so long two threads that have slept are slower than they will be, cores and caches being cold. */
const WAKING = 20;

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// What the last call returned: an engine that can see that nobody reads a result may skip computing it.
export const sink = { value: undefined };

/** Takes `waking` calls that do not count, then `calls` that do. */
async function sampleOf(contender, calls, { collect, clock, rest }, waking = 0) {
  const now = clocks[clock];
  if (contender.beforeSample) await contender.beforeSample(waking + calls);
  if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
  // A collection that a neighbour's garbage makes necessary is not this contender's time.
  if (collect && globalThis.gc) globalThis.gc();
  for (let i = 0; i < waking; i++) sink.value = await contender.run();
  const start = now();
  for (let i = 0; i < calls; i++) {
    const result = contender.run();
    sink.value = result instanceof Promise ? await result : result;
  }
  return (now() - start) / calls;
}

/**
 * Warms a contender up until `warmup` milliseconds have passed and returns how many calls make one sample.
 * Engines swap in optimised code in the background, so time matters here as much as the number of calls.
 */
async function warmUp(contender, given) {
  const options = { ...given, rest: 0 };
  const { warmup, minSample } = options;
  let fastest = await sampleOf(contender, 1, options);
  const end = performance.now() + warmup;
  while (performance.now() < end) {
    const calls = Math.max(1, Math.min(64, Math.floor(minSample / fastest)));
    fastest = Math.min(fastest, await sampleOf(contender, calls, options));
  }
  const waking = given.rest > 0 && fastest < 10 * WAKING ? Math.ceil(WAKING / fastest) : 0;
  return { calls: Math.max(1, Math.ceil(minSample / fastest)), waking, fastest };
}

/**
 * Milliseconds of one call of each contender: `{ median, min, samples, calls }` by name.
 * `slow`: a contender whose call takes longer takes a sample in one round out of four only, and a single one where it
 * takes three times as long.
 * `collect`: the garbage collector runs before every sample; right for results of megabytes, wrong for small calls, whose
 * code and data it would chase out of the caches.
 * `clock`: 'wall', or 'cpu' for a machine that has other things to do.
 * `rest`: milliseconds before every sample, in which the idle threads of other contenders stop looking for work.
 */
export async function interleave(contenders, given) {
  const options = { warmup: 300, minSample: 3, slow: 2500, collect: false, clock: 'wall', rest: 0, ...given };
  const { rounds, slow, onRound } = options;
  const plans = [];
  for (const contender of contenders) {
    const plan = await warmUp(contender, options);
    plans.push({
      contender,
      ...plan,
      every: plan.fastest > 3 * slow ? rounds : plan.fastest > slow ? 4 : 1,
      samples: [],
    });
  }
  // A round of small calls is over in a moment, and so are a few more.
  const short = plans.reduce((sum, { calls, fastest }) => sum + calls * fastest, 0) < 100;
  for (let round = 0; round < (short ? 3 * rounds : rounds); round++) {
    if (onRound) onRound(round);
    for (const plan of plans) {
      if (round % plan.every === 0)
        plan.samples.push(await sampleOf(plan.contender, plan.calls, options, plan.waking));
    }
  }
  return Object.fromEntries(
    plans.map(({ contender, samples, calls }) => [
      contender.name,
      { median: median(samples), min: Math.min(...samples), samples: samples.length, calls },
    ]),
  );
}
