/**
 * How this library's time grows with the length and the width of attention, and how much memory a very long sequence
 * takes.
 */
import { watchMemories } from './peers/ours.mjs';
import { attention } from './problems/attention.mjs';
import { interleave } from './timing.mjs';

const WINDOW = 256;
const WAYS = { full: {}, causal: { causal: true }, window: { window: WINDOW } };

async function timeOf(ours, problem, clock) {
  const contender = await ours.prepare(problem);
  const errors = problem.check(contender.run());
  if (errors.largest > 1) throw new Error(`wrong by ${errors.largest.toFixed(1)} times what is allowed`);
  const timed = await interleave([{ name: 'ours', ...contender }], { rounds: 5, warmup: 200, clock });
  return timed.ours.median;
}

/** Milliseconds of one head, for each of WAYS: against n at width 64, and against d at n = 1024. */
export async function measureGrowth({ open, quick, clock, progress }) {
  const { peers } = await open();
  const lengths = quick ? [512, 1024, 2048] : [512, 1024, 2048, 4096, 8192, 16384, 32768];
  const byLength = [];
  for (const n of lengths) {
    progress(`growth: n = ${n}`);
    const row = { n };
    for (const [way, options] of Object.entries(WAYS)) {
      row[way] = await timeOf(peers[0], attention({ heads: 1, n, d: 64, ...options }), clock);
    }
    byLength.push(row);
  }
  const byWidth = [];
  for (const d of quick ? [] : [16, 32, 64, 128, 256, 512]) {
    progress(`growth: d = ${d}`);
    const row = { d };
    for (const [way, options] of Object.entries(WAYS)) {
      row[way] = await timeOf(peers[0], attention({ heads: 1, n: 1024, d, ...options }), clock);
    }
    byWidth.push(row);
  }
  return { window: WINDOW, byLength, byWidth };
}

/** One head of n = 32768 and d = 64, without weights: milliseconds, and how much the wasm memory grew. */
export async function measureLong({ open }) {
  const heap = watchMemories();
  const { peers } = await open();
  const problem = attention({ heads: 1, n: 32768, d: 64 });
  const { query, key, value } = problem.inputs;
  const before = heap();
  const contender = await peers[0].prepare(problem);
  const start = performance.now();
  const outputs = contender.run();
  const ms = performance.now() - start;
  const grown = heap() - before;
  const bytes = query.byteLength + key.byteLength + value.byteLength + outputs.output.byteLength;
  return {
    ms,
    grown,
    allowed: 1.5 * bytes + 8e6,
    errors: problem.check(outputs).largest,
    gflops: problem.flop / ms / 1e6,
  };
}
