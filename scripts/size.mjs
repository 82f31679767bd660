// Prints the size of each part of the package (plain, with gzip, with brotli) and its budget in size-budgets.json, for
// brotli. Exits with 1 if a part is over its budget.
//   usage: node scripts/size.mjs [BUDGETS]
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const root = join(import.meta.dirname, '..');
const [file = join(root, 'size-budgets.json')] = process.argv.slice(2);

/** @typedef {{ files: string[], beside?: string[], budget: number, target?: number }} Part */
/** @type {{ parts: Record<string, Part> }} */
const { parts } = JSON.parse(readFileSync(file, 'utf8'));

/**
 * The files and their static imports, without dynamic imports and without files that are already loaded.
 *
 * @param {string[]} files
 * @param {string[]} beside  Files that are already loaded.
 */
function closure(files, beside = []) {
  const found = new Set(files);
  for (const each of found) {
    if (!each.endsWith('.js')) continue;
    const text = readFileSync(join(root, each), 'utf8');
    for (const [, path] of text.matchAll(/\b(?:from|import)\s*["'](\.\/[^"']+)["']/g)) {
      const imported = join(dirname(each), String(path));
      if (!beside.includes(imported)) found.add(imported);
    }
  }
  return [...found];
}

const row = (/** @type {(string | number)[]} */ ...cells) =>
  console.log(cells.map((cell, i) => String(cell)[i ? 'padStart' : 'padEnd'](i ? 9 : 22)).join(''));

row('part', 'bytes', 'gzip', 'brotli', 'budget', 'target');
for (const [name, { files, beside, budget, target }] of Object.entries(parts)) {
  const sizes = [0, 0, 0];
  for (const each of closure(files, beside)) {
    const bytes = readFileSync(join(root, each));
    const encoded = [bytes, gzipSync(bytes, { level: 9 }), brotliCompressSync(bytes)];
    encoded.forEach(({ length }, i) => (sizes[i] = Number(sizes[i]) + length));
  }
  const over = Number(sizes[2]) > budget;
  row(name, ...sizes, budget, target ?? '–', over ? '  OVER' : '');
  if (over) process.exitCode = 1;
}
