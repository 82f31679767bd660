/**
 * One measurement in a process of its own, so that no row inherits another's heap, garbage, crashed wasm or lost tier-up.
 * Started by run.mjs with one message (the task); answers with `{ progress }` messages and one `{ result }`.
 */
import { measureCold } from './cold.mjs';
import { measureGrowth, measureLong } from './growth.mjs';
import { measureLimits, microKernel } from './limits.mjs';
import { interleave } from './timing.mjs';
import { works } from './works.mjs';

const libraries = {
  'wasm-attention': './peers/ours.mjs',
  ort: './peers/ort.mjs',
  tfjs: './peers/tfjs.mjs',
  'jax-js': './peers/jax.mjs',
  eigen: './peers/eigen.mjs',
  javascript: './peers/javascript.mjs',
};

const build = new URL('build/', import.meta.url);
const progress = (text) => process.send({ progress: text });
/** One line: of a long message the beginning and the end, since a C++ library puts its reason last. */
function lineOf(error) {
  const text = String(error?.message ?? error)
    .trim()
    .replace(/\s+/g, ' ');
  return text.length <= 160 ? text : `${text.slice(0, 50)} … ${text.slice(-100)}`;
}

async function measureWork({ name, peers: wanted, rounds, quick, clock = 'wall', threads = 1, relaxed }) {
  const work = works.find((one) => one.name === name);
  const problem = work.make();
  const kernel = await microKernel(build, relaxed);
  const contenders = [kernel];
  const rows = [];
  const versions = {};
  let largest = 0;
  const loaded = ['wasm-attention', ...wanted.map((peer) => peer.replace(/^ort-.*/, 'ort'))];
  for (const library of new Set(loaded)) {
    let opened;
    try {
      opened = await (await import(libraries[library])).open({ build, threads, relaxed });
    } catch (error) {
      rows.push({ peer: library, failed: `did not load: ${lineOf(error)}` });
      continue;
    }
    versions[library] = opened.version;
    for (const peer of opened.peers) {
      // `ort` alone stands for all of its ways.
      if (library !== 'wasm-attention' && !wanted.includes(peer.name) && !wanted.includes(library)) continue;
      progress(`${name}: checking ${peer.name}`);
      const row = { peer: peer.name };
      try {
        const contender = await peer.prepare(problem);
        if (!contender) continue;
        rows.push(row);
        if (contender.beforeSample) await contender.beforeSample(1);
        const outputs = await contender.run();
        const errors = problem.check(outputs);
        largest = Math.max(largest, ...Object.values(outputs).map((data) => data?.byteLength ?? 0));
        Object.assign(row, { errors: errors.largest, absolute: errors.absolute });
        if (problem.exactness) row.beyondExact = problem.exactness(outputs);
        if (errors.largest > 1)
          row.failed = `wrong: ${errors.largest.toPrecision(3)} times the error allowed`;
        else contenders.push({ name: peer.name, ...contender });
      } catch (error) {
        if (!rows.includes(row)) rows.push(row);
        row.failed = lineOf(error);
      }
    }
  }
  progress(`${name}: timing ${contenders.length - 1} contenders`);
  const before = [performance.now(), process.cpuUsage()];
  const timed = await interleave(contenders, {
    rounds,
    clock,
    warmup: quick ? 300 : 600,
    collect: problem.collect ?? largest >= 2 ** 20,
    onRound: (round) => progress(`${name}: round ${round + 1}`),
  });
  const { user, system } = process.cpuUsage(before[1]);
  const share = (user + system) / 1000 / (performance.now() - before[0]);
  for (const row of rows) Object.assign(row, timed[row.peer]);
  const limit = kernel.flop / timed.microKernel.median / 1e6;
  return { name, flop: problem.flop, items: problem.items, microKernel: limit, share, rows, versions };
}

process.once('message', async (task) => {
  const open = async () => (await import(libraries['wasm-attention'])).open({ build });
  let result;
  try {
    if (task.kind === 'limits') result = await measureLimits({ build, ...task });
    else if (task.kind === 'cold') result = measureCold({ build, progress, ...task });
    else if (task.kind === 'growth') result = await measureGrowth({ open, progress, ...task });
    else if (task.kind === 'long') result = await measureLong({ open });
    else result = await measureWork(task);
  } catch (error) {
    result = { name: task.name, failed: lineOf(error) };
  }
  process.send({ result }, () => process.exit(0));
});
