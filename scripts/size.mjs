// Prints the size of each part of the package (plain, with gzip, with brotli) and its budget in size-budgets.json, for
// brotli. Exits with 1 if a part is over its budget.
//   usage: node scripts/size.mjs [BUDGETS]
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const root = join(import.meta.dirname, '..');
const [budgets = join(root, 'size-budgets.json')] = process.argv.slice(2);

/** @typedef {{ file: string, beyond?: string, budget: number }} Part */
/** @type {{ parts: Record<string, Part> }} */
const { parts } = JSON.parse(readFileSync(budgets, 'utf8'));

/** A file and all that it imports statically. @param {string} file */
function closure(file) {
  const found = new Set([file]);
  for (const each of found) {
    if (!each.endsWith('.js')) continue;
    const text = readFileSync(join(root, each), 'utf8');
    for (const [, path] of text.matchAll(/\b(?:from|import)\s*["'](\.\.?\/[^"']+)["']/g)) {
      found.add(join(dirname(each), /** @type {string} */ (path)));
    }
  }
  return found;
}

const row = (/** @type {(string | number)[]} */ ...cells) =>
  console.log(cells.map((cell, i) => String(cell)[i ? 'padStart' : 'padEnd'](i ? 9 : 22)).join(''));

row('part', 'bytes', 'gzip', 'brotli', 'budget');
for (const [name, { file, beyond, budget }] of Object.entries(parts)) {
  const loaded = beyond === undefined ? new Set() : closure(beyond);
  let [plain, gzip, brotli] = [0, 0, 0];
  for (const each of closure(file)) {
    if (loaded.has(each)) continue;
    const bytes = readFileSync(join(root, each));
    plain += bytes.length;
    gzip += gzipSync(bytes, { level: 9 }).length;
    brotli += brotliCompressSync(bytes).length;
  }
  const over = brotli > budget;
  row(name, plain, gzip, brotli, budget, over ? '  OVER' : '');
  if (over) process.exitCode = 1;
}
