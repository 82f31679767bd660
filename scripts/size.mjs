// What a page downloads: bytes of each file of the package, as they are, gzipped and with brotli.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const row = (/** @type {(string | number)[]} */ ...cells) =>
  console.log(cells.map((cell, i) => String(cell)[i ? 'padStart' : 'padEnd'](i ? 9 : 22)).join(''));

row('file', 'bytes', 'gzip', 'brotli');
for (const file of ['index.js', 'slim.js', 'wasm-attention.wasm']) {
  const bytes = readFileSync(join(import.meta.dirname, '../dist', file));
  row(file, bytes.length, gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes).length);
}
