/** What surrounds the code: licences, citation, workflows and hashes say what is so. */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, output, read } from './support.js';

const { version, license, scripts } = JSON.parse(read('package.json')) as {
  version: string;
  license: string;
  scripts: Record<string, string>;
};
const WORKFLOWS = readdirSync(join(ROOT, '.github/workflows')).map((file) => `.github/workflows/${file}`);

describe('the workflows', () => {
  it.each(WORKFLOWS)('%s calls commands that there are, with no rights by default', (file) => {
    const text = read(file);
    const called = Array.from(text.matchAll(/npm run (?:--silent )?([\w:]+)/g), ([, name]) => name!);
    expect(called.length).toBeGreaterThan(2);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(called));
    expect(text).toContain('- run: npm test\n');
    expect(text).toMatch(/^permissions:\n {2}contents: read$/m);
  });

  it('publish what was tested, under its own name and with provenance', () => {
    const publish = read('.github/workflows/publish.yml');
    expect(publish.indexOf('npm test')).toBeLessThan(publish.indexOf('npm pack'));
    expect(publish).toMatch(/npm publish --provenance/);
    expect(publish).toMatch(/needs: build/);
    expect(publish).toMatch(/id-token: write/);
    expect(publish).not.toMatch(/secrets\./);
  });
});

describe('the hashes of a release', () => {
  it('are those that a browser computes, of all code in dist', () => {
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

describe('the papers', () => {
  it('cite this version under this licence', () => {
    const citation = read('CITATION.cff');
    expect(/^version: (.*)$/m.exec(citation)?.[1]).toBe(version);
    expect(/^license: (.*)$/m.exec(citation)?.[1]).toBe(license);
  });

  it('license the code under MIT, and the prose as its source, which they credit', () => {
    const text = read('LICENSE');
    expect(text.startsWith(`${license} License`)).toBe(true);
    const prose = text.slice(text.indexOf('web/page/prose')).replaceAll(/\s+/g, ' ');
    for (const part of [
      'Dive into Deep Learning',
      'Zhang',
      'Lipton',
      'Li',
      'Smola',
      'CC BY-SA 4.0',
      'by-sa/4.0',
    ]) {
      expect(prose).toContain(part);
    }
  });

  it('keep to files of the repository', () => {
    const named = ['SECURITY.md', 'CONTRIBUTING.md', '.github/PULL_REQUEST_TEMPLATE.md'].flatMap((file) =>
      Array.from(
        read(file).matchAll(/`((?:\.github|web|tests|scripts|cpp)\/[\w./-]+\.\w+)`/g),
        ([, path]) => path!,
      ),
    );
    expect(named.length).toBeGreaterThan(2);
    for (const path of named) expect(() => read(path)).not.toThrow();
  });
});
