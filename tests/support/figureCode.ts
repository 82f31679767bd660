import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The repository: there `wasm-attention` is the built package. */
const ROOT = new URL('../..', import.meta.url);

/** Runs a figure's JavaScript as its readers would, as an ES module in Node, and returns the lines that it prints. */
export async function runFigureCode(javascript: string): Promise<string[]> {
  const child = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', javascript], {
    cwd: ROOT,
    timeout: 60_000,
  });
  const { stdout } = await child;
  return stdout.trimEnd().split('\n');
}
