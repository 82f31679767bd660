/** Every block of code in the README and the guides: programs print what they say, commands exist, tags are figures. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Patches } from '../../web/elements/package-types.js';
import { headsOf } from '../../web/elements/shared/heads/heads.js';
import { matrixOf } from '../../web/elements/shared/heat-map/matrix.js';
import { gridOf } from '../../web/elements/shared/patch-viewer/patch-heads.js';
import { sourceOf } from '../../web/elements/shared/patch-viewer/picture.js';
import { figures, parts } from '../../web/elements/registry.js';
import { fences, programs, promised } from '../support/fences.js';
import { mapsOf } from '../support/mapsOf.js';
import { ROOT, output, read, run } from './support.js';

const GUIDES = readdirSync(join(ROOT, 'web/docs')).filter((file) => file.endsWith('.md'));
const PAGES = ['README.md', 'CONTRIBUTING.md', ...GUIDES.map((file) => `web/docs/${file}`)];
const blocks = PAGES.flatMap((file) => fences(read(file)).map((fence) => ({ file, ...fence })));
const ofLanguage = (language: string) => blocks.filter((block) => block.language === language);
const all = PAGES.flatMap((file) => programs(read(file)).map((program) => ({ file, ...program })));
const TAGS = [...Object.keys(figures), ...Object.keys(parts)];

it('are in languages that are tested here or in a browser, or plain text', () => {
  const others = blocks.filter(({ language }) => !['js', 'html', 'python', 'sh', 'text', ''].includes(language));
  expect(others.map(({ file, line }) => `${file}:${line}`)).toEqual([]);
  // Trees of folders and tables of commands have no language, in CONTRIBUTING only.
  expect(ofLanguage('').filter(({ file }) => file !== 'CONTRIBUTING.md')).toEqual([]);
  expect(all.length).toBeGreaterThan(10);
  expect(ofLanguage('html').length).toBeGreaterThan(4);
});

describe('a program', () => {
  // In a file within the package, like a reader's: options for a program given as text would be passed on to its
  // workers.
  const folder = join(ROOT, 'build/docs-programs');
  beforeAll(() => void mkdirSync(folder, { recursive: true }));

  it.each(all)('of $file, line $line, prints what it says', ({ file, line, code }) => {
    const program = join(folder, `${basename(file, '.md')}-${line}.mjs`);
    writeFileSync(program, code);
    const printed = output('node', [program]).trimEnd().split('\n');
    expect(printed).toEqual(promised(code));
    expect(printed.length).toBeGreaterThan(0);
  });
});

describe('a command', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

  it.each(
    ofLanguage('sh').flatMap(({ file, code }) =>
      code
        .trimEnd()
        .split('\n')
        .map((line) => ({ file, line })),
    ),
  )('of $file exists: $line', ({ line }) => {
    const [, name, options = ''] = /^npm (?:run )?([\w:]+)(?: -- (.*?))?(?: +#.*)?$/.exec(line) ?? [];
    if (line === 'npm install wasm-attention') {
      expect(read('package.json')).toContain('"name": "wasm-attention"');
      return;
    }
    expect(Object.keys(scripts)).toContain(name);
    const flags = options.match(/--[\w-]+/g) ?? [];
    if (flags.length > 0) expect(['train', 'bench']).toContain(name);
    const usage =
      name === 'train' ? run('bash', ['scripts/train.sh', '--help']).stdout : read('tests/bench/options.mjs');
    for (const flag of flags) expect(`${usage} --help`).toContain(flag);
  });
});

describe('a notebook', () => {
  // The programs of pyodide.md run in the matrix, which has Pyodide.
  const cells = ofLanguage('python').filter(({ file }) => file !== 'web/docs/pyodide.md');

  it('sends what the figures read', () => {
    expect(cells.map(({ file }) => file)).toEqual(Array(5).fill('web/docs/notebooks.md'));
    const code = `from checkpoint import image, model, processor, tokenizer, vit\n${cells.map((cell) => cell.code).join('\n')}\nprint(anywidget.sent())\n`;
    const env = { PYTHONPATH: join(ROOT, 'tests/package/notebook'), PYTHONDONTWRITEBYTECODE: '1' };
    const states = JSON.parse(output('python3', ['-c', code], { env })) as Record<string, unknown>[];
    const bytes = (value: unknown) => Buffer.from((value as { base64: string }).base64, 'base64');
    type State = Record<string, unknown>;
    const [all, looks, viewer, map] = states as [State, State, State, State];
    expect(all.tokens).toEqual(['The', 'keys', 'are', 'on', 'the', 'table']);
    expect(headsOf({ weights: Uint8Array.from(bytes(all.weights)) })).toMatchObject({ layers: 2, heads: 3 });
    expect(looks).toMatchObject({ figure: 'patch-viewer', tokens: ['class'] });
    const grid = { weights: Uint8Array.from(bytes(looks.weights)), patches: looks.patches as Patches };
    expect(gridOf(grid)).toMatchObject({ layers: 2, heads: 3, special: ['class'] });
    expect(sourceOf(Uint8Array.from(bytes(looks.picture)))).toMatchObject({ width: 224, height: 224 });
    expect(viewer).toMatchObject({
      figure: 'head-viewer',
      tokens: ['two', 'words'],
      settings: { head: 2 },
      values: null,
    });
    const heads = headsOf({ weights: new DataView(Uint8Array.from(bytes(viewer.weights)).buffer) });
    expect(mapsOf(heads)).toEqual([
      [1, 0, 0.5, 0.5],
      [0.25, 0.75, 0, 1],
    ]);
    expect(map.figure).toBe('heat-map');
    const { rows, columns, low, high } = matrixOf({ values: Uint8Array.from(bytes(map.values)) });
    expect({ rows, columns, low, high }).toEqual({ rows: 2, columns: 3, low: -2, high: 2 });
  });

  it('has the code of the examples, which are built and opened, except for Python', () => {
    const examples = ['myst/index.md', 'observable/src/index.md'].map((file) => read(`web/examples/${file}`));
    const others = ofLanguage('text').filter(({ file }) => file === 'web/docs/notebooks.md');
    expect(others).toHaveLength(examples.length);
    for (const [index, { code }] of others.entries())
      for (const line of code.trimEnd().split('\n'))
        expect(examples[index]!.replace('node_modules/wasm-attention/dist/elements/', '')).toContain(line);
  });

  it('names existing figures', () => {
    const text = read('web/docs/notebooks.md');
    const named = Array.from(text.matchAll(/"?figure"?[=:] ?"([\w-]+)"/g), ([, tag]) => tag);
    expect(named.length).toBeGreaterThan(2);
    for (const tag of named) expect(TAGS).toContain(tag);
  });
});

describe('text and tags', () => {
  it.each(blocks.filter(({ code }) => /<\/[a-z]+-[a-z-]+>/.test(code)))(
    'of $file, line $line, names figures and attributes that there are',
    ({ code }) => {
      const documented = read('web/elements/README.md');
      for (const [, tag, attributes] of code.matchAll(/<([a-z]+(?:-[a-z]+)+)([^>]*)>/g)) {
        expect(TAGS).toContain(tag);
        const row = documented.split('\n').find((line) => line.startsWith(`| \`<${tag}>\``)) ?? '';
        for (const [, name] of attributes!.matchAll(/ ([a-z-]+)=/g)) {
          // Figures that share their settings have a group, which the text mentions.
          if (name !== 'group') expect(row).toContain(name);
        }
      }
    },
  );

  it.each(PAGES)('of %s link to existing files', (file) => {
    for (const [, target] of read(file).matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      expect(() => read(join(file, '..', target!))).not.toThrow();
    }
  });
});

describe('the site', () => {
  const { projectDocuments } = JSON.parse(read('typedoc.json')) as { projectDocuments: string[] };

  it('has every guide, and so has the README', () => {
    expect([...projectDocuments].sort()).toEqual(GUIDES.map((file) => `web/docs/${file}`).sort());
    for (const file of GUIDES) expect(read('README.md')).toContain(`web/docs/${file}`);
  });

  it('is built without a warning', () => {
    const folder = join(ROOT, 'build/docs-test');
    output('node', ['scripts/docs.mjs', folder]);
    const pages = readdirSync(join(folder, 'documents')).filter((name) => name.endsWith('.html'));
    expect(pages).toHaveLength(GUIDES.length);
    const modules = read('build/docs-test/modules.html');
    for (const entry of ['wasm-attention', 'slim', 'safetensors', 'models', 'worker', 'elements'])
      expect(modules).toContain(entry);
  }, 120_000);
});
