/**
 * Where PyTorch's files come from. Those that are stored are always tested; where torch is installed, so are fresh ones. Either
 * way the same questions are asked.
 */
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
  /** A file that PyTorch wrote, see exchange.py. */
  file(name: 'model' | 'bfloat16' | 'expected'): Uint8Array;
  /** What PyTorch answers to a file of the library's. */
  answer(returned: Uint8Array): Uint8Array;
  close(): void;
}

const read = (directory: string, name: string) => readFileSync(join(directory, `${name}.safetensors`));

function stored(): Source {
  return {
    name: 'stored files',
    file: (name) => read(STORED, name),
    answer(returned) {
      // The stored answer is PyTorch's to this file, and to no other.
      expect(normalised(returned)).toEqual(normalised(read(STORED, 'returned')));
      return read(STORED, 'answers');
    },
    close: () => undefined,
  };
}

function live(python: string): Source {
  // EXCHANGE_RECORD=1 makes the files that are stored.
  const recording = process.env.EXCHANGE_RECORD === '1';
  const directory = recording ? STORED : mkdtempSync(join(tmpdir(), 'exchange-'));
  const run = (command: string) => {
    const { status, stderr } = spawnSync(python, [SCRIPT, command, directory], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`exchange.py ${command} failed: ${stderr}`);
  };
  run('write');
  return {
    name: 'PyTorch here',
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
