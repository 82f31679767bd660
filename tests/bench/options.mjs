import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

import { ORT_INT8, quick as quickWorks, quickPeers, scaling as scalingWorks, works } from './works.mjs';

const everyPeer = ['ort', 'tfjs', 'javascript'];
const peerNames = [...everyPeer, 'wllama', 'ort-attention', 'ort-mha', ...ORT_INT8];
/** Measurements which take long and begin in Node, whatever engine the rows have. */
const NODE = ['drift', 'opening-memory', 'opening-gguf', 'first-embedding', 'first-picture', 'proof'];
const allNames = ['limits', 'cold', ...works.map((work) => work.name), 'long', 'growth', ...NODE];

export const usage = `usage: npm run bench -- [options]
  --work NAME[,NAME]   only these rows; a name may end in * (attention-*)
  --peers A,B          only these peers: ort (or one of ort-attention, ort-mha, ort-integer, ort-dynamic, ort-nbits), tfjs, javascript,
                       wllama (in a browser)
  --rounds N           samples of each contender, more of short ones (default 9; 5 with --quick)
  --processes N        run every row in N fresh processes and report the medians over them (default 1)
  --browser            the same work in headless Chromium, a fresh one for every row; this library is loaded from ./slim
  --threads N          N threads for this library and for the peers that have threads; the column baseline is this library on one
                       thread (default 1)
  --scaling            this library alone on 2, 4, … threads up to the number of cores, against one: large works, small ones and
                       works that threads do not share
  --relaxed            the wasm for relaxed SIMD; the column baseline is the plain one on as many threads, and
                       only peers that --peers names take part
  --clock cpu          measure processor time instead of wall time, for a busy machine
  --quick              a few rows and peers, within a minute
  --json FILE          write all measurements to a file
rows: ${allNames.join(', ')}`;

class UsageError extends Error {}

function count(name, text, fallback) {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new UsageError(`--${name}: expected a whole number from 1, got ${text}`);
  return value;
}

function select(text) {
  return text.split(',').flatMap((pattern) => {
    const found = allNames.filter((name) =>
      pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
    );
    if (found.length === 0) throw new UsageError(`--work: expected one of ${allNames.join(', ')}, got ${pattern}`);
    return found;
  });
}

/** 2, 4, … up to the number of cores. */
function threadCounts() {
  const counts = [2];
  while (2 * counts.at(-1) <= availableParallelism()) counts.push(2 * counts.at(-1));
  return counts;
}

function defaultPeers({ relaxed, scaling, browser, quick }) {
  if (relaxed || scaling) return [];
  if (quick) return quickPeers;
  return browser ? [...everyPeer, 'wllama'] : everyPeer;
}

function defaultNames({ relaxed, scaling, browser, quick }) {
  const taken = works.filter((work) => (relaxed || !work.alone) && (browser || !work.browser));
  const all = taken.map(({ name }) => name);
  const rows = (scaling ? scalingWorks : all).filter((name) => !quick || quickWorks.includes(name));
  if (scaling) return rows;
  const apart = relaxed ? ['limits'] : ['limits', 'cold', ...(quick ? [] : ['long', 'growth', ...NODE])];
  return [...apart.filter((name) => !browser || !['cold', ...NODE].includes(name)), ...rows];
}

/** Throws for options that exclude each other. */
function refuse({ clock, threads, scaling, browser, peers }) {
  if (!['wall', 'cpu'].includes(clock)) throw new UsageError(`--clock: expected wall or cpu, got ${clock}`);
  if (clock === 'cpu' && (threads !== undefined || scaling)) {
    const option = scaling ? '--scaling' : '--threads';
    throw new UsageError(`${option}: expected wall time, got --clock cpu, which adds up what all threads take`);
  }
  if (clock === 'cpu' && browser)
    throw new UsageError('--browser: expected wall time, got --clock cpu, which a page cannot read');
  if (!scaling) return;
  if (threads !== undefined)
    throw new UsageError('--scaling: expected no --threads, since it measures several numbers of them');
  // The peers' idle threads would look for work on the cores that are being measured.
  if (peers !== undefined)
    throw new UsageError('--scaling: expected this library alone, got --peers, whose threads would disturb it');
}

/** Parses a command line. Prints the usage and exits if it makes no sense. */
export function parse(args) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        work: { type: 'string' },
        peers: { type: 'string' },
        rounds: { type: 'string' },
        processes: { type: 'string' },
        json: { type: 'string' },
        threads: { type: 'string' },
        browser: { type: 'boolean', default: false },
        scaling: { type: 'boolean', default: false },
        clock: { type: 'string', default: 'wall' },
        relaxed: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    const peers = values.peers?.split(',') ?? defaultPeers(values);
    const unknown = peers.find((peer) => !peerNames.includes(peer));
    if (unknown) throw new UsageError(`--peers: expected some of ${peerNames.join(', ')}, got ${unknown}`);
    refuse(values);
    const names = values.work ? select(values.work) : defaultNames(values);
    if (values.browser && names.includes('cold'))
      throw new UsageError("--browser: expected rows without cold, which is about Node's processes");
    return {
      quick: values.quick,
      relaxed: values.relaxed,
      browser: values.browser,
      scaling: values.scaling ? threadCounts() : undefined,
      json: values.json,
      clock: values.clock,
      peers,
      names: allNames.filter((name) => names.includes(name)),
      rounds: count('rounds', values.rounds, values.quick ? 5 : 9),
      processes: count('processes', values.processes, 1),
      threads: count('threads', values.threads, 1),
    };
  } catch (error) {
    if (!(error instanceof UsageError) && !String(error.code).startsWith('ERR_PARSE_ARGS')) throw error;
    console.error(`bench: ${error.message}\n${usage}`);
    process.exit(2);
  }
}
