/** Licences, citation, workflows and documents agree with the project. */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT, read } from '../package/support.js';

const { version, license, scripts } = JSON.parse(read('package.json')) as {
  version: string;
  license: string;
  scripts: Record<string, string>;
};
const WORKFLOWS = readdirSync(join(ROOT, '.github/workflows')).map((file) => `.github/workflows/${file}`);

describe('the workflows', () => {
  it.each(WORKFLOWS)('%s calls existing commands, with no permissions by default', (file) => {
    const text = read(file);
    const called = Array.from(text.matchAll(/npm run (?:--silent )?([\w:]+)/g), ([, name]) => name!);
    expect(called.length).toBeGreaterThan(2);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(called));
    expect(text).toContain('- run: npm test\n');
    expect(text).toContain('node: [20, 22, 24]');
    expect(text).toMatch(/^permissions:\n {2}contents: read$/m);
  });

  it('publish the tested package, under its own name and with provenance', () => {
    const publish = read('.github/workflows/publish.yml');
    expect(publish.indexOf('npm test')).toBeLessThan(publish.indexOf('npm pack'));
    expect(publish).toMatch(/npm publish --provenance/);
    expect(publish).toMatch(/needs: build/);
    expect(publish).toMatch(/id-token: write/);
    expect(publish).not.toMatch(/secrets\./);
  });
});

describe('the documents', () => {
  it('cite this version under this licence', () => {
    const citation = read('CITATION.cff');
    expect(/^version: (.*)$/m.exec(citation)?.[1]).toBe(version);
    expect(/^license: (.*)$/m.exec(citation)?.[1]).toBe(license);
  });

  it('license the code under MIT and the prose like its source, which they credit', () => {
    const text = read('LICENSE');
    expect(text.startsWith(`${license} License`)).toBe(true);
    const prose = text.slice(text.indexOf('web/page/languages')).replaceAll(/\s+/g, ' ');
    for (const part of ['Dive into Deep Learning', 'Zhang', 'Lipton', 'Li', 'Smola', 'CC BY-SA 4.0', 'by-sa/4.0']) {
      expect(prose).toContain(part);
    }
  });

  it('link only to files of the repository', () => {
    const named = ['SECURITY.md', 'CONTRIBUTING.md', '.github/PULL_REQUEST_TEMPLATE.md'].flatMap((file) =>
      Array.from(read(file).matchAll(/`((?:\.github|web|tests|scripts|cpp)\/[\w./-]+\.\w+)`/g), ([, path]) => path!),
    );
    expect(named.length).toBeGreaterThan(2);
    for (const path of named) expect(() => read(path)).not.toThrow();
  });
});

describe('the tree in CONTRIBUTING.md', () => {
  const tree = /^```\n(CMakeLists.*?)^```/ms.exec(read('CONTRIBUTING.md'))![1]!;
  const folders = ['.', 'cpp', 'web', 'web/page', 'tests'].flatMap((parent) =>
    readdirSync(join(ROOT, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !/^(\.|build$|dist$|node_modules$)/.test(entry.name))
      .map(({ name }) => name),
  );

  it.each(folders)('names %s', (name) => {
    expect(tree).toMatch(new RegExp(`(^|\\s)${name}/`, 'm'));
  });

  it('names only existing files of the library', () => {
    const library = /^ {2}lib\/.*?(?=^ {2}docs\/)/ms.exec(tree)![0];
    const named = Array.from(library.matchAll(/(?<![>\w/-])([\w-]+\.ts)\b/g), ([, file]) => file!);
    const files = readdirSync(join(ROOT, 'web/lib'), { recursive: true, encoding: 'utf8' }).map((path) =>
      basename(path),
    );
    expect(named).toEqual(expect.arrayContaining(['index.ts', 'memory.ts', 'worker-thread.ts']));
    expect(named.filter((file) => !files.includes(file))).toEqual([]);
  });
});

describe('the table of an operation’s files', () => {
  // Operations with a kernel: if they follow the table, so can the next one.
  it.each(['maskedSoftmax', 'rotaryEmbedding', 'additiveAttention'])('fits %s', (op) => {
    const table = read('CONTRIBUTING.md').split('## Adding an op')[1]!.split('\n\n')[1]!;
    const snake = op.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const group = readdirSync(join(ROOT, 'cpp')).find(
      (each) => !each.includes('.') && readdirSync(join(ROOT, 'cpp', each)).includes(`${snake}.cpp`),
    );
    expect(group).toBeDefined();
    const paths = Array.from(table.matchAll(/`((?:cpp|web|tests)\/[^`]*\.\w+)`/g), ([, path]) =>
      path!.replace('<group>', group!).replace('<op>', path!.includes('.cpp') ? snake : op),
    );
    expect(paths).toHaveLength(8);
    for (const path of paths) expect([path, read(path).includes(op)]).toEqual([path, true]);
  });
});
