import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'node:util';
import { jest } from '@jest/globals';

const FOLDER = join(import.meta.dirname, '../../build/modules');
let runs = 0;

/**
 * Runs a program, the text of an ES module in which `wasm-attention` is the library under test, and returns the lines
 * that it prints. Throws what the program throws. Only one program may run at a time.
 */
export async function runModule(code: string): Promise<string[]> {
  const file = join(FOLDER, `${createHash('sha1').update(code).digest('hex')}.js`);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(file, code);
  const lines: string[] = [];
  const log = jest.spyOn(console, 'log').mockImplementation((...words) => void lines.push(format(...words)));
  try {
    // A module runs only once per URL, so every run gets its own.
    runs += 1;
    await import(`${file}?${runs}`);
  } finally {
    log.mockRestore();
  }
  return lines;
}
