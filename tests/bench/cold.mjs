/**
 * Cold starts: the time from a library's import to its first result. Each sample is a fresh process; the libraries take
 * turns.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { graphOf } from './peers/ort-graphs.mjs';
import { median } from './timing.mjs';

const script = fileURLToPath(new URL('cold-start.mjs', import.meta.url));
/** Milliseconds from import to first result. */
const BAR = 25;
const NAMES = {
  nothing: 'Node alone',
  index: 'wasm-attention',
  slim: 'wasm-attention/slim',
  ort: 'onnxruntime-web',
};

function start(what, model) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, what, model], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr.trim().split('\n').at(-1));
  return JSON.parse(stdout);
}

/** The median of each part over `rounds` fresh processes, and the shortest time to a result. */
export function measureCold({ build, rounds, peers, progress }) {
  const model = fileURLToPath(new URL('cold.onnx', build));
  writeFileSync(model, graphOf('decomposed', { kind: 'attention', params: { batch: 1, heads: 1, n: 4, d: 8 } }));
  const contenders = Object.keys(NAMES).filter((what) => what !== 'ort' || peers.includes('ort'));
  const samples = Object.fromEntries(contenders.map((what) => [what, []]));
  // The first round fills the machine's file cache and does not count.
  for (let round = 0; round <= rounds; round++) {
    progress(`cold: round ${round} of ${rounds}`);
    for (const what of contenders) {
      const sample = start(what, model);
      if (round > 0) samples[what].push(sample);
    }
  }
  const [{ output: ours }] = samples.index;
  const rows = contenders.map((what) => {
    const all = samples[what];
    const of = (part) => median(all.map((sample) => sample[part]));
    const { output } = all[0];
    // Both libraries round numbers below 1 to float32 about six times.
    const wrong = output.length > 0 && !output.every((value, i) => Math.abs(value - ours[i]) < 1e-6);
    if (wrong) throw new Error(`${NAMES[what]} computes something else`);
    const parts = Object.fromEntries(['start', 'import', 'result', 'cpu'].map((part) => [part, of(part)]));
    return { name: NAMES[what], ...parts, min: Math.min(...all.map(({ result }) => result)) };
  });
  return { rows, rounds, bar: BAR };
}
