// Builds the page as two files per language (build/single/en.html, en-further.html …), which open without a server, and
// prints the sizes.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'vite';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'build/single');
// Overrides the caller's value, which could make lit resolve to its development build.
process.env.NODE_ENV = 'production';
mkdirSync(folder, { recursive: true });
await build({ configFile: join(root, 'web/page/single.config.ts'), logLevel: 'warn' });
for (const file of readdirSync(folder)) {
  const bytes = readFileSync(join(folder, file));
  const kilobytes = (/** @type {number} */ count) => Math.round(count / 1000);
  console.log(
    `build/single/${file}: ${kilobytes(bytes.length)} kB, ${kilobytes(brotliCompressSync(bytes).length)} kB with brotli`,
  );
}
