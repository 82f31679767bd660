import { parseArgs } from 'node:util';

import { quick as quickWorks, quickPeers, works } from './works.mjs';

export const usage = `usage: npm run bench -- [options]
  --work NAME[,NAME]   only these rows; a name may end in * (attention-*)
  --peers A,B          only these peers: ort (or one of ort-attention, ort-mha), tfjs, jax-js, eigen, javascript
  --rounds N           samples of each contender (default 9; 5 with --quick)
  --processes N        run every row in N fresh processes and report the medians over them (default 1)
  --threads N          N threads for this library, and for those peers that have them; its own speed on one thread is the column
                       baseline, and the product is a Linear layer (default 1)
  --relaxed            the wasm for relaxed SIMD, against the plain one in the column baseline; the product is a Linear layer, and
                       no peers but those named
  --clock cpu          count the processor's time instead of the wall's: for a machine that is busy
  --quick              a few rows and peers, within a minute
  --json FILE          write everything that was measured
rows: limits, cold, growth, long, ${works.map((work) => work.name).join(', ')}`;

const everyPeer = ['ort', 'tfjs', 'jax-js', 'eigen', 'javascript'];
const peerNames = [...everyPeer, 'ort-attention', 'ort-mha'];
const allNames = ['limits', 'cold', ...works.map((work) => work.name), 'long', 'growth'];

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
    if (found.length === 0)
      throw new UsageError(`--work: expected one of ${allNames.join(', ')}, got ${pattern}`);
    return found;
  });
}

/** The options of a command line; prints the usage and exits where they make no sense. */
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
    const peers = values.peers?.split(',') ?? (values.relaxed ? [] : values.quick ? quickPeers : everyPeer);
    const unknown = peers.find((peer) => !peerNames.includes(peer));
    if (unknown) throw new UsageError(`--peers: expected some of ${peerNames.join(', ')}, got ${unknown}`);
    if (!['wall', 'cpu'].includes(values.clock)) {
      throw new UsageError(`--clock: expected wall or cpu, got ${values.clock}`);
    }
    if (values.threads !== undefined && values.clock === 'cpu') {
      throw new UsageError(
        '--threads: expected wall time, got --clock cpu, which adds up what all threads take',
      );
    }
    if (values.relaxed && values.threads !== undefined) {
      throw new UsageError('--relaxed: expected one thread, got --threads, whose wasm is the plain one');
    }
    const names = values.work
      ? select(values.work)
      : values.quick
        ? ['limits', ...(values.relaxed ? [] : ['cold']), ...quickWorks]
        : values.relaxed
          ? ['limits', ...works.map(({ name }) => name)]
          : allNames;
    return {
      quick: values.quick,
      relaxed: values.relaxed,
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
