/** The benchmark's command line: see README.md beside this file, or --help. */
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';

import { barsFor } from './bars.mjs';
import { inBrowser } from './in-browser.mjs';
import { inNode } from './in-node.mjs';
import { parse } from './options.mjs';
import {
  barsOf,
  coldTable,
  driftTable,
  firstEmbeddingTable,
  firstPictureTable,
  growthTables,
  limitsTable,
  longTable,
  merge,
  openingGgufTable,
  openingTable,
  proofTable,
  rowTables,
} from './report.mjs';
import { scalingTable } from './scaling.mjs';
import { setUp } from './setup.mjs';
import { works } from './works.mjs';

/** What prints a measurement that is not a row. */
const TABLES = {
  limits: limitsTable,
  cold: coldTable,
  long: longTable,
  growth: growthTables,
  drift: driftTable,
  'opening-memory': openingTable,
  'opening-gguf': openingGgufTable,
  'first-embedding': firstEmbeddingTable,
  'first-picture': firstPictureTable,
  proof: proofTable,
};

const say = (text) => process.stderr.write(`bench: ${text}\n`);

let told = -Infinity;
/** Prints what a measurement is doing, at most one line every two seconds. */
function progressed(text) {
  if (performance.now() - told < 2000) return;
  told = performance.now();
  say(text);
}

/** Prints and returns what is measured on which machine. */
async function header({ engine, measure }, options, task) {
  const { rounds, processes, clock, threads, scaling } = options;
  const features = await measure({ ...task, kind: 'features' }, progressed);
  if (features.failed) throw new Error(`${features.failed}`);
  const named = (name) => (scaling ? `${name} thread${name === '1' ? '' : 's'}` : name);
  const simd = features.filter((one) => one.simd).map((one) => `${named(one.name)} ${one.simd}`);
  const machine = { cpu: cpus()[0].model.trim(), cores: cpus().length, arch: process.arch, engine, features };
  const count = scaling ? '' : threads === 1 ? ', one thread' : `, ${threads} threads`;
  console.log(`${machine.cpu}, ${machine.cores} cores, ${engine}${count}, float32; ${simd.join(', ')}`);
  const busy = loadavg()[0];
  console.log(
    `medians of ${rounds} or more interleaved rounds${processes > 1 ? ` in each of ${processes} processes` : ''}, ${clock} time; ` +
      `load average ${busy.toFixed(1)} beforehand`,
  );
  return { ...machine, busy };
}

/** Measures one row after another and calls `save` after each. */
async function measureAll({ measure }, options, task, report, save) {
  for (const name of options.names) {
    const one = { ...task, name };
    if (name in TABLES) {
      report[name] = await measure({ ...one, kind: name }, progressed);
      console.log(TABLES[name](report[name]));
    } else {
      const runs = [];
      for (let i = 0; i < options.processes; i++) runs.push(await measure(one, progressed));
      const result = merge(runs);
      const work = works.find((each) => each.name === name);
      const bars = options.scaling ? [] : barsOf(barsFor(work, options), result);
      report.works.push({ title: work.title, ...result, bars });
      Object.assign(report.versions, result.versions);
    }
    save();
  }
}

async function main() {
  const options = parse(process.argv.slice(2));
  const { names, peers, rounds, quick, clock, threads, relaxed, browser, scaling } = options;
  const started = performance.now();
  const needsPeers = peers.some((peer) => peer !== 'javascript');
  const { fused } = await setUp({ needsPeers, relaxed, browser: browser || names.includes('proof'), say });
  const task = { quick, rounds, peers, clock, threads, relaxed, scaling, fused };
  const place = browser ? await inBrowser() : inNode();
  try {
    const machine = await header(place, options, task);
    const report = { machine, date: new Date().toISOString(), options, versions: {}, works: [] };
    // Called after every row, so that an interrupted run keeps what it has measured.
    const save = () => options.json && writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
    await measureAll(place, options, task, report, save);
    const { versions } = report;
    if (report.works.length > 0) {
      console.log(
        `\n${Object.entries(versions)
          .map(([name, version]) => `${name} ${version}`)
          .join(', ')}`,
      );
      console.log(scaling ? scalingTable(report.works, scaling) : rowTables(report.works));
    }
  } finally {
    await place.close();
  }
  console.log(
    '\nA process may miss the switch to optimised code and stay slow for its whole life, and every row has its own process.\n' +
      'If a figure is near its bar, measure it again: npm run bench -- --work NAME --processes 5',
  );
  say(`done in ${((performance.now() - started) / 1000).toFixed(0)} s`);
}

main().catch((error) => {
  say(error.message);
  process.exit(1);
});
