/**
 * Interleaved timing: every contender takes one sample in each round, A B C A B C …, so that a machine that slows down
 * or speeds up during the run does so for all of them.
 */
import { usage } from './host.mjs';

/** @typedef {{ name: string, run: () => unknown, beforeSample?: (calls: number) => unknown }} Contender */

/**
 * Milliseconds since some point: of wall time, or of the process's processor time, which a busy machine does not
 * lengthen.
 */
const clocks = { wall: () => performance.now(), cpu: usage };

/**
 * Milliseconds of calls that do not count after a rest: until then threads are slower, because cores and caches are
 * cold.
 */
const WAKING = 20;

/** Shorter rounds, in milliseconds, are repeated more often. */
const SHORT = 200;

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// The result of the last call. An engine may skip computing a result that nobody reads.
export const sink = { value: undefined };

/** Makes `waking` calls that do not count, then `calls` that do; returns milliseconds per call. */
async function sampleOf(contender, calls, { collect, clock, rest }, waking = 0) {
  const now = clocks[clock];
  if (contender.beforeSample) await contender.beforeSample(waking + calls);
  if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
  // Collecting the garbage of other contenders must not count as this contender's time.
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
 * Warms a contender up for `warmup` milliseconds and returns how many calls make one sample.
 * Engines optimise code in the background, so the time spent matters as much as the number of calls.
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
 * Milliseconds per call of each contender: `{ median, min, samples, calls }` by name.
 * `slow`: a contender whose call takes more milliseconds takes a sample only in every fourth round, and only one sample
 * if a call takes three times as long.
 * `collect`: run the garbage collector before every sample. This suits results of megabytes; for small calls it would
 * evict their code and data from the caches.
 * `clock`: 'wall', or 'cpu' for a busy machine.
 * `rest`: milliseconds to wait before every sample, so that other contenders' idle threads stop looking for work.
 */
export async function interleave(contenders, given) {
  const options = { warmup: 300, minSample: 10, slow: 2500, collect: false, clock: 'wall', rest: 0, ...given };
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
  // Rounds of small calls are short, so there is time for more: a machine may be slow for a tenth of a second.
  const fastest = plans.reduce((sum, plan) => sum + plan.calls * plan.fastest, 0);
  const count = Math.ceil(rounds * Math.min(10, Math.max(1, SHORT / fastest)));
  for (let round = 0; round < count; round++) {
    if (onRound) onRound(round);
    for (const plan of plans) {
      if (round % plan.every === 0) plan.samples.push(await sampleOf(plan.contender, plan.calls, options, plan.waking));
    }
  }
  return Object.fromEntries(
    plans.map(({ contender, samples, calls }) => [
      contender.name,
      { median: median(samples), min: Math.min(...samples), samples: samples.length, calls },
    ]),
  );
}
