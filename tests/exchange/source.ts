/** PyTorch's files. The stored ones are always tested; if torch is installed, new ones are tested the same way. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { pythonWithTorch } from '../support/python.js';
import { normalised } from './normalised.js';

const SCRIPT = fileURLToPath(new URL('exchange.py', import.meta.url));
const STORED = fileURLToPath(new URL('../fixtures/exchange/', import.meta.url));

export interface Source {
  readonly name: string;
  /** A file that PyTorch wrote (see exchange.py). */
  file(name: 'model' | 'bfloat16' | 'expected'): Uint8Array;
  /** PyTorch's answer to weights that the library wrote. */
  answer(returned: Uint8Array): Uint8Array;
  close(): void;
}

const read = (directory: string, name: string) => readFileSync(join(directory, `${name}.safetensors`));

function stored(): Source {
  return {
    name: 'the stored files',
    file: (name) => read(STORED, name),
    answer(returned) {
      // The stored answer belongs to exactly this file.
      expect(normalised(returned)).toEqual(normalised(read(STORED, 'returned')));
      return read(STORED, 'answers');
    },
    close: () => undefined,
  };
}

function live(python: string): Source {
  // EXCHANGE_RECORD=1 replaces the stored files.
  const recording = process.env.EXCHANGE_RECORD === '1';
  const directory = recording ? STORED : mkdtempSync(join(tmpdir(), 'exchange-'));
  const run = (command: string) => {
    const { status, stderr } = spawnSync(python, [SCRIPT, command, directory], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`exchange.py ${command} failed: ${stderr}`);
  };
  run('write');
  return {
    name: 'the installed PyTorch',
    file: (name) => read(directory, name),
    answer(returned) {
      writeFileSync(join(directory, 'returned.safetensors'), returned);
      run('answer');
      return read(directory, 'answers');
    },
    close() {
      if (!recording) rmSync(directory, { recursive: true });
    },
  };
}

export function sources(): Source[] {
  const python = pythonWithTorch();
  return python === undefined ? [stored()] : [live(python), stored()];
}
