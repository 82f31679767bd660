/** The benchmark's command line: see README.md beside this file, or --help. */
import { fork } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

import { parse } from './options.mjs';
import { barsOf, coldTable, growthTables, limitsTable, longTable, merge, rowTables } from './report.mjs';
import { setUp } from './setup.mjs';
import { relaxedBars, threadBars, works } from './works.mjs';

const say = (text) => process.stderr.write(`bench: ${text}\n`);

let told = -Infinity;
/** What a measurement is doing, a line in two seconds at most. */
function progressed(text) {
  if (performance.now() - told < 2000) return;
  told = performance.now();
  say(text);
}

/** Node 20 has relaxed SIMD behind a flag. */
function flagsFor({ relaxed }) {
  const wasm = relaxed && readFileSync(new URL('../../dist/wasm-attention-relaxed.wasm', import.meta.url));
  return wasm && !WebAssembly.validate(wasm) ? ['--experimental-wasm-relaxed-simd'] : [];
}

/** Runs one task in a fresh process. What its libraries print goes to stderr. */
function measure(task) {
  return new Promise((resolve) => {
    const child = fork(new URL('measure.mjs', import.meta.url), {
      execArgv: ['--expose-gc', ...flagsFor(task)],
      stdio: ['ignore', 2, 2, 'ipc'],
    });
    child.on('message', ({ progress, result }) => {
      if (progress) progressed(progress);
      if (result) resolve(result);
    });
    child.on('exit', (code, signal) =>
      resolve({ name: task.name, failed: `its process ended: ${signal ?? code}` }),
    );
    child.send(task);
  });
}

async function main() {
  const options = parse(process.argv.slice(2));
  const { names, peers, rounds, processes, quick, clock, threads, relaxed } = options;
  const started = performance.now();
  await setUp({ needsPeers: peers.some((peer) => !['eigen', 'javascript'].includes(peer)), relaxed, say });

  const machine = {
    cpu: cpus()[0].model.trim(),
    node: process.version,
    v8: process.versions.v8,
    arch: process.arch,
  };
  console.log(
    `${machine.cpu}, Node ${machine.node} (V8 ${machine.v8}), ${threads === 1 ? 'one thread' : `${threads} threads`}${relaxed ? ', relaxed SIMD' : ''}, float32`,
  );
  console.log(
    `medians of ${rounds} interleaved rounds${processes > 1 ? ` in each of ${processes} processes` : ''}, ${clock} time`,
  );

  const report = { machine, date: new Date().toISOString(), options, versions: {}, works: [] };
  for (const name of names) {
    const task = { name, quick, rounds, peers, clock, threads, relaxed };
    if (name === 'limits') console.log(limitsTable((report.limits = await measure({ ...task, kind: name }))));
    else if (name === 'cold') console.log(coldTable((report.cold = await measure({ ...task, kind: name }))));
    else if (name === 'long') report.long = await measure({ ...task, kind: name });
    else if (name === 'growth') report.growth = await measure({ ...task, kind: name });
    else {
      const runs = [];
      for (let i = 0; i < processes; i++) runs.push(await measure(task));
      const result = merge(runs);
      const { title, bars } = works.find((work) => work.name === name);
      report.works.push({
        title,
        ...result,
        bars: barsOf(
          threads > 1 ? (threadBars[name] ?? []) : relaxed ? (relaxedBars[name] ?? []) : bars,
          result,
        ),
      });
      Object.assign(report.versions, result.versions);
    }
    // After every row, so that a run that is interrupted leaves what it has measured.
    if (options.json) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  }

  const { versions } = report;
  if (report.works.length > 0) {
    console.log(`\n${Object.entries(versions).map(([name, version]) => `${name} ${version}`).join(', ')}`); // prettier-ignore
    console.log(rowTables(report.works));
  }
  if (report.long) console.log(longTable(report.long));
  if (report.growth) console.log(growthTables(report.growth));
  console.log(
    '\nA process may lose its tier-up and stay slow for its whole life; every row has a process of its own. Where a\n' +
      'figure is near its bar, look again: npm run bench -- --work NAME --processes 5',
  );
  say(`done in ${((performance.now() - started) / 1000).toFixed(0)} s`);
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
