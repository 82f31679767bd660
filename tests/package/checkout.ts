/** A copy of what the scripts need, in an empty folder, with a PATH that holds only chosen commands. */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, output, temporaryFolder, type Result } from './support.js';

/** What the scripts call besides the tools that setup looks for: every Debian has it. */
const BASICS = 'awk basename bash cat df dirname env find flock grep head mkdir mv rm sed tail touch'.split(
  ' ',
);
/** What setup looks for. */
const TOOLS =
  'node npm cmake ninja g++ emcc emcmake clang++-19 wasm-ld-19 clang-format chromium chromium-headless-shell'.split(
    ' ',
  );

export interface Checkout {
  readonly path: string;
  readonly remove: () => void;
  /** Puts an executable in the PATH, in place of the one there. */
  readonly command: (name: string, script: string) => void;
  /** Runs one of the scripts to its end, with that PATH and nothing else. */
  readonly run: (script: string, ...args: string[]) => Result;
}

/** `without` names the tools that this machine shall not have. */
export function checkout({ without = [] }: { without?: readonly string[] } = {}): Checkout {
  const { path, remove } = temporaryFolder();
  const bin = join(path, 'bin');
  mkdirSync(bin);
  for (const part of [
    'scripts',
    'package.json',
    'package-lock.json',
    'CMakeLists.txt',
    'CMakePresets.json',
  ]) {
    cpSync(join(ROOT, part), join(path, part), { recursive: true });
  }
  const command = (name: string, script: string) => {
    const file = join(bin, name);
    rmSync(file, { force: true });
    writeFileSync(file, `#!${bash}\n${script}\n`);
    chmodSync(file, 0o755);
  };
  const bash = where('bash');
  for (const name of BASICS) symlinkSync(where(name), join(bin, name));
  // A tool only has to be found; where it is called it succeeds in silence.
  for (const name of TOOLS.filter((tool) => !without.includes(tool))) command(name, 'exit 0');
  if (!without.includes('node')) command('node', 'echo v20.19.0');
  return {
    path,
    remove,
    command,
    run: (script, ...args) =>
      spawnSync(bash, [`scripts/${script}`, ...args], { cwd: path, env: { PATH: bin }, encoding: 'utf8' }),
  };
}

function where(name: string): string {
  return output('bash', ['-c', `type -P ${name}`]).trim();
}
