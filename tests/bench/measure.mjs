/**
 * One measurement, in its own process or browser, so that no row inherits another's heap, garbage, crashed wasm or
 * unoptimised code. Gets one message, the task; answers with `{ progress }` messages and one `{ result }`.
 */
import { progress, serve, usage } from './host.mjs';
import { measureGrowth, measureLong } from './growth.mjs';
import { measureLimits, microKernel } from './limits.mjs';
import { interleave } from './timing.mjs';
import { works } from './works.mjs';

const OURS = 'wasm-attention';
/** Milliseconds of rest before a sample: onnxruntime-web's idle threads look for work for 20. */
const REST_MS = 40;
const libraries = {
  [OURS]: './peers/ours.mjs',
  ort: './peers/ort.mjs',
  tfjs: './peers/tfjs.mjs',
  javascript: './peers/javascript.mjs',
  wllama: './peers/wllama.mjs',
};

const build = new URL('build/', import.meta.url);
/**
 * An error as one line. Of a long message it keeps the beginning and the end, because C++ libraries put the reason
 * last.
 */
function lineOf(error) {
  const text = String(error?.message ?? error)
    .trim()
    .replace(/\s+/g, ' ');
  return text.length <= 160 ? text : `${text.slice(0, 50)} … ${text.slice(-100)}`;
}

/**
 * Prepares and checks a library's contenders for one problem. Adds those that work to `contenders`, and a row for each,
 * including those that failed, to `rows`. Returns the bytes of the largest result.
 */
async function enter(peers, problem, { rows, contenders }) {
  let largest = 0;
  for (const peer of peers) {
    progress(`${problem.kind}: checking ${peer.name}`);
    const row = { peer: peer.name };
    try {
      const contender = await peer.prepare(problem);
      if (!contender) continue;
      rows.push(row);
      if (contender.beforeSample) await contender.beforeSample(1);
      const result = await contender.run();
      const outputs = contender.read ? await contender.read() : result;
      const errors = problem.check(outputs);
      largest = Math.max(largest, ...Object.values(outputs).map((data) => data?.byteLength ?? 0));
      Object.assign(row, { errors: errors.largest, absolute: errors.absolute });
      if (problem.exactness) row.beyondExact = problem.exactness(outputs);
      if (errors.largest > 1) row.failed = `wrong: ${errors.largest.toPrecision(3)} times the error allowed`;
      else contenders.push({ name: peer.name, ...contender });
    } catch (error) {
      if (!rows.includes(row)) rows.push(row);
      row.failed = lineOf(error);
    }
  }
  return largest;
}

/** Opens this library and the wanted peers, and checks what they compute. */
async function enterAll({ peers: wanted, threads, relaxed, scaling }, problem) {
  const entered = { rows: [], contenders: [], versions: {}, largest: 0, relaxedLimit: relaxed };
  const loaded = [OURS, ...wanted.map((peer) => peer.replace(/^ort-.*/, 'ort'))];
  for (const library of new Set(loaded)) {
    let opened;
    try {
      opened = await (await import(libraries[library])).open({ build, threads, relaxed, scaling });
    } catch (error) {
      entered.rows.push({ peer: library, failed: `did not load: ${lineOf(error)}` });
      continue;
    }
    entered.versions[library] = opened.version;
    if (library === OURS) entered.relaxedLimit = opened.peers[0].simd === 'relaxed-simd';
    // `ort` alone stands for all three of its graphs.
    const peers = opened.peers.filter(
      (peer) => library === OURS || wanted.includes(peer.name) || wanted.includes(library),
    );
    entered.largest = Math.max(entered.largest, await enter(peers, problem, entered));
  }
  return entered;
}

async function measureWork(task) {
  const { name, rounds, quick, clock, threads, scaling } = task;
  const problem = await works.find((one) => one.name === name).make();
  const { rows, contenders, versions, largest, relaxedLimit } = await enterAll(task, problem);
  const kernel = await microKernel(build, relaxedLimit);
  progress(`${name}: timing ${contenders.length} contenders`);
  const shared = threads > 1 || scaling;
  const before = [performance.now(), usage()];
  const timed = await interleave([kernel, ...contenders], {
    rounds,
    clock,
    warmup: quick ? 300 : 600,
    collect: problem.collect ?? largest >= 2 ** 20,
    onRound: (round) => progress(`${name}: round ${round + 1}`),
    rest: shared ? REST_MS : 0,
  });
  // The share of the time in which one thread computed; with rests it would say nothing about the machine.
  const busy = before[1] === undefined || shared ? undefined : usage() - before[1];
  const share = busy === undefined ? undefined : busy / (performance.now() - before[0]);
  for (const row of rows) Object.assign(row, timed[row.peer]);
  const limit = kernel.flop / timed.microKernel.median / 1e6;
  const { flop, items, tokens } = problem;
  return { name, flop, items, tokens, microKernel: limit, share, rows, versions };
}

serve(async (task) => {
  const open = async (options) => (await import(libraries[OURS])).open({ build, ...options });
  try {
    if (task.kind === 'features') return (await open(task)).peers.map(({ name, simd }) => ({ name, simd }));
    if (task.kind === 'limits') return await measureLimits({ build, ...task });
    if (task.kind === 'cold') return (await import('./cold.mjs')).measureCold({ build, progress, ...task });
    if (task.kind === 'drift') return await (await import('./drift.mjs')).measureDrift({ progress });
    if (task.kind === 'opening-memory') return await (await import('./opening.mjs')).measureOpening({ progress });
    if (task.kind === 'opening-gguf') {
      return await (await import('./opening-gguf.mjs')).measureOpeningGguf({ progress, ...task });
    }
    if (task.kind === 'first-embedding') return await (await import('./first-embedding.mjs')).measureFirstEmbedding();
    if (task.kind === 'first-picture')
      return await (await import('./first-picture.mjs')).measureFirstPicture({ progress });
    if (task.kind === 'proof') return await (await import('./proof.mjs')).measureProof({ progress, ...task });
    if (task.kind === 'growth') return await measureGrowth({ open, progress, ...task });
    if (task.kind === 'long') return await measureLong({ open });
    return await measureWork(task);
  } catch (error) {
    return { name: task.name, failed: lineOf(error) };
  }
});
