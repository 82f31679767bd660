import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, output } from './support.js';

describe('the hashes of a release', () => {
  it('are those that a browser computes, for all code in dist', () => {
    const lines = output('node', ['scripts/sri.mjs']).trimEnd().split('\n');
    const wanted = readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.(js|wasm)$/.test(file),
    );
    expect(lines).toHaveLength(wanted.length);
    for (const line of lines) {
      const [, algorithm, hash, file] = /^(sha384)-([\w+/]+=*) {2}(dist\/\S+)$/.exec(line)!;
      const digest = createHash(algorithm!)
        .update(readFileSync(join(ROOT, file!)))
        .digest();
      expect(digest.equals(Buffer.from(hash!, 'base64'))).toBe(true);
    }
  });
});
