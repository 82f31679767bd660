/** The project's scripts in an empty folder, on a machine with only the given commands. */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, temporaryFolder, type Result } from '../package/support.js';

/** The commands that every Debian has. */
const BASICS = ['awk', 'basename', 'bash', 'cat', 'df', 'dirname', 'env', 'find', 'flock', 'grep', 'head'];
BASICS.push('mkdir', 'mv', 'rm', 'sed', 'tail', 'touch');
/** The commands that setup looks for. They only have to exist; they do nothing and succeed. */
const TOOLS = ['npm', 'cmake', 'ninja', 'g++', 'emcc', 'emcmake', 'clang++-19', 'wasm-ld-19', 'clang-format'];
TOOLS.push('chromium', 'chromium-headless-shell');

export interface Checkout {
  readonly remove: () => void;
  /** Adds or replaces a command. */
  readonly command: (name: string, script: string) => void;
  /** Runs a line of shell script. */
  readonly run: (line: string) => Result;
}

/** `without` names the tools that the machine does not have. */
export function checkout(without: readonly string[] = []): Checkout {
  const { path, remove } = temporaryFolder();
  const bin = join(path, 'bin');
  mkdirSync(bin);
  for (const part of ['scripts', 'package.json', 'package-lock.json', 'CMakeLists.txt', 'CMakePresets.json'])
    cpSync(join(ROOT, part), join(path, part), { recursive: true });
  const bash = where('bash');
  const command = (name: string, script: string): void => {
    const file = join(bin, name);
    rmSync(file, { force: true });
    writeFileSync(file, `#!${bash}\n${script}\n`);
    chmodSync(file, 0o755);
  };
  for (const name of BASICS) symlinkSync(where(name), join(bin, name));
  command('node', 'echo v20.19.0');
  for (const name of TOOLS.filter((tool) => !without.includes(tool))) command(name, 'exit 0');
  const run = (line: string): Result =>
    spawnSync(bash, ['--norc', '-c', line], { cwd: path, env: { PATH: bin }, encoding: 'utf8' });
  return { remove, command, run };
}

function where(name: string): string {
  const folder = process.env.PATH!.split(':').find((folder) => existsSync(join(folder, name)));
  if (folder === undefined) throw new Error(`expected ${name} in the PATH, found none`);
  return join(folder, name);
}
