// Prints the `integrity` of each file of dist that a page can load, one per line: hash, two spaces, path. Build the
// package first.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const dist = join(import.meta.dirname, '../dist');
const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(js|wasm)$/.test(file))
  .sort();
for (const file of files) {
  const hash = createHash('sha384')
    .update(readFileSync(join(dist, file)))
    .digest('base64');
  console.log(`sha384-${hash}  dist/${file}`);
}
