import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** A tensor as a cell showed it. */
export interface ShownTensor {
  readonly data: number[];
  readonly shape: number[];
}

/** One call of `show` (web/page/cells/README.md). */
export interface Shown {
  readonly call: 'show' | 'lines';
  readonly value: unknown;
  readonly options?: { kind?: string; columns?: number[] };
}

// Typed arrays as plain ones, so that they come through JSON.
const SHOW = `
const plain = (_, value) => (ArrayBuffer.isView(value) ? [...value] : value);
const say = (call) => (value, options) => console.log(JSON.stringify({ call, value, options }, plain));
globalThis.show = Object.assign(say('show'), { lines: say('lines') });
`;

/**
 * Runs a code cell as an ES module of its own in a fresh Node, where `wasm-attention` is the built package, and returns what it
 * showed. Throws what the cell threw.
 */
export function runCell(code: string): Shown[] {
  const prelude = `data:text/javascript,${encodeURIComponent(SHOW)}`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', prelude, '--input-type=module', '--eval', code],
    { cwd: join(import.meta.dirname, '../..'), encoding: 'utf8', timeout: 60_000 },
  );
  if (status !== 0) throw new Error(`the cell failed: ${stderr}\n${code}`);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Shown);
}
