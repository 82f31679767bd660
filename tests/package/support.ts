/** Running the project's own commands, and the packed package in an empty folder. */
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

export type Result = SpawnSyncReturns<string>;

/** Runs a command to its end; never through a shell. */
export function run(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: object; input?: string } = {},
): Result {
  const { cwd = ROOT, env = {}, input } = options;
  return spawnSync(command, args, {
    cwd,
    input,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    // A busy machine takes five times as long.
    timeout: 300_000,
  });
}

/** The command's output; throws with all of it where the command fails. */
export function output(...parameters: Parameters<typeof run>): string {
  const { status, stdout, stderr } = run(...parameters);
  if (status !== 0) throw new Error(`${parameters[0]} ended with ${status}\n${stdout}${stderr}`);
  return stdout;
}

/** Runs an ES module given as text; what it prints, parsed as JSON. */
export function evaluate(code: string, options: { cwd?: string; flags?: readonly string[] } = {}): unknown {
  const { cwd = ROOT, flags = [] } = options;
  return JSON.parse(output('node', [...flags, '--input-type=module', '--eval', code], { cwd }));
}

/** A new empty folder, and a function that removes it. */
export function temporaryFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'wasm-attention-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Packs the package and installs the tarball, offline, in the folder; the names of the packed files. */
export function installInto(folder: string): string[] {
  const packed = output('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]);
  const [{ filename, files }] = JSON.parse(packed) as [{ filename: string; files: { path: string }[] }];
  const project = ['install', '--offline', '--no-audit', '--no-fund', '--prefix', folder, join(folder, filename)];
  output('npm', project, { cwd: folder });
  return files.map(({ path }) => path).sort();
}

export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Names without extension of the TypeScript files directly in a folder; none where it does not exist. */
export function modulesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.replace(/(\.test)?\.ts$/, ''))
    .sort();
}
