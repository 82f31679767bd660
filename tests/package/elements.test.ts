/** `wasm-attention/elements` as users get it: the packed package in an empty folder. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { figures, parts } from '../../web/elements/registry.js';
import { ROOT, evaluate, installInto, output, read, run, temporaryFolder } from './support.js';

const folder = temporaryFolder();
const TAGS = Object.keys(figures);
/** The entries' names after `wasm-attention/elements`. */
const ENTRIES = ['', '/auto', ...[...Object.keys(parts), ...TAGS].map((tag) => `/${tag}`)];
let elements: string;

beforeAll(() => {
  output('bash', ['scripts/build.sh', 'package']);
  installInto(folder.path);
  elements = join(folder.path, 'node_modules/wasm-attention/dist/elements');
}, 120_000);
afterAll(() => folder.remove());

const scripts = (): string[] => readdirSync(elements).filter((file) => file.endsWith('.js'));
const textOf = (file: string): string => readFileSync(join(elements, file), 'utf8');
/** The first bytes of a wasm, in hexadecimal digits. */
const WASM = '0061736d01000000';

/** What each script imports, and how often it evaluates a string, not counting code that is shown to readers. */
const syntax = (): Record<string, { imported: string[]; evaluated: number }> =>
  evaluate(`
    import { readFileSync } from 'node:fs';
    import { parseAst } from '${join(ROOT, 'node_modules/vite/dist/node/index.js')}';
    const found = {};
    for (const file of ${JSON.stringify(scripts())}) {
      const here = (found[file] = { imported: [], evaluated: 0 });
      const visit = (node) => {
        if (typeof node !== 'object' || node === null) return;
        const source = /^(Import|Export)/.test(node.type ?? '') ? node.source : undefined;
        if (source) here.imported.push(source.value ?? source.quasis[0].value.cooked);
        if (/^(Call|New)Expression$/.test(node.type ?? '') && ['eval', 'Function'].includes(node.callee.name)) ++here.evaluated;
        Object.values(node).forEach(visit);
      };
      visit(parseAst(readFileSync('${elements}/' + file, 'utf8')));
    }
    console.log(JSON.stringify(found));
  `) as Record<string, { imported: string[]; evaluated: number }>;

it('has an entry for all figures, one that loads them when needed, and one for each', () => {
  expect(TAGS.length).toBeGreaterThan(10);
  const code = `
    const paths = ${JSON.stringify(ENTRIES)};
    console.log(JSON.stringify(paths.map((path) => import.meta.resolve('wasm-attention/elements' + path))));
  `;
  const resolved = evaluate(code, { cwd: folder.path }) as string[];
  expect(resolved.map((url) => url.split('/').at(-1))).toEqual(
    ['index', 'auto', ...Object.keys(parts), ...TAGS].map((name) => `${name}.js`),
  );
  for (const url of resolved) expect(scripts()).toContain(url.split('/').at(-1));
});

it('needs only files of the package', () => {
  expect((JSON.parse(read('package.json')) as { dependencies?: object }).dependencies).toBeUndefined();
  for (const [file, { imported }] of Object.entries(syntax())) {
    for (const name of imported) expect(`${file}: ${name}`).toMatch(/: \.\.?\/[\w.-]+\.js$/);
  }
});

it('imports the package’s library, and has its own copy only in one file', () => {
  expect(scripts().filter((file) => textOf(file).includes(WASM))).toEqual(['anywidget.js']);
});

it('builds no code from strings', () => {
  for (const [file, { evaluated }] of Object.entries(syntax())) expect([file, evaluated]).toEqual([file, 0]);
});

describe('an import where there are no elements', () => {
  /** What some servers have of a DOM. */
  const DOMS: Readonly<Record<string, string>> = {
    'nothing of a DOM': '',
    'a document only': 'globalThis.document = { createTreeWalker: () => ({}) };',
    'classes of elements that cannot be defined': 'globalThis.HTMLElement = class {};',
    'a registry without elements': `
      const define = () => { throw new Error('defined'); };
      globalThis.customElements = { get() {}, define };
    `,
  };

  it.each(Object.keys(DOMS))('does nothing with %s, and the process ends by itself', (dom) => {
    const code = `
      ${DOMS[dom]}
      const { customElements } = globalThis;
      const failures = [];
      for (const entry of ${JSON.stringify([...ENTRIES.map((entry) => `elements${entry}`), 'anywidget'])})
        await import('wasm-attention/' + entry).catch((error) => failures.push(entry + ': ' + error));
      if (globalThis.customElements !== customElements) failures.push('defines customElements');
      console.log(JSON.stringify(failures));
    `;
    expect(evaluate(code, { cwd: folder.path })).toEqual([]);
  });
});

describe('a bundler', () => {
  it('keeps the import for its side effects, and copies the workers', () => {
    writeFileSync(join(folder.path, 'app.js'), "import 'wasm-attention/elements';");
    const code = `
      import { build } from '${join(ROOT, 'node_modules/vite/dist/node/index.js')}';
      const { output } = await build({
        root: '${folder.path}', configFile: false, logLevel: 'silent',
        build: { write: false, assetsInlineLimit: 0, rolldownOptions: { input: '${folder.path}/app.js' } },
      });
      const code = output.filter(({ type }) => type === 'chunk').map(({ code }) => code).join('');
      console.log(JSON.stringify({
        tags: ${JSON.stringify(TAGS)}.filter((tag) => !code.includes(tag)),
        workers: output.filter(({ fileName }) => /-worker-[\\w-]+\\.js$/.test(fileName)).length,
      }));
    `;
    const workers = scripts().filter((file) => file.endsWith('-worker.js')).length;
    expect(evaluate(code)).toEqual({ tags: [], workers });
  });
});

describe('the declarations', () => {
  it.each(['node16', 'bundler'])('are accepted by a strict tsc with %s resolution', (resolution) => {
    writeFileSync(
      join(folder.path, 'consumer.mts'),
      `
      import { AttentionMasks, HeatMap, type CellDetail, type Figure, type Picture } from 'wasm-attention/elements';
      import 'wasm-attention/elements/auto';
      import { PathLengths } from 'wasm-attention/elements/path-lengths';
      const figure: Figure = document.createElement('attention-masks');
      const heads: AttentionMasks = document.createElement('attention-masks');
      figure.addEventListener('figure-change', ({ detail }) => console.log(detail.seed));
      export const picture: Promise<Picture> = heads.picture();
      const map: HeatMap = document.createElement('heat-map');
      map.values = new Float32Array(4);
      map.addEventListener('cell-pick', (event) => { const cell: CellDetail = event.detail; console.log(cell.row); });
      const viewer = document.createElement('patch-viewer');
      const image = document.createElement('img');
      const patches = { first: 1, rows: 2, columns: 2, size: 16 };
      viewer.loadArrays({ weights: [{ data: new Float32Array(25), shape: [1, 1, 5, 5] }], picture: image, patches });
      viewer.addEventListener('query-change', ({ detail }) => console.log(detail.query));
      const lens = document.createElement('lens-viewer');
      lens.loadArrays({ logits: [async () => ({ data: new Float32Array(6), shape: [1, 2, 3] })], tokens: ['a', 'b'] });
      lens.addEventListener('follow-change', ({ detail }) => console.log(detail.followed));
      export const paths: Figure = new PathLengths();
      // @ts-expect-error: a figure has no such method
      figure.paint();
      `,
    );
    const compilerOptions = {
      ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, types: [], noEmit: true },
      ...{ target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'] },
      ...{ module: resolution === 'node16' ? 'node16' : 'esnext', moduleResolution: resolution },
    };
    writeFileSync(join(folder.path, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.mts'] }));
    expect(run('node', [join(ROOT, 'node_modules/typescript/bin/tsc')], { cwd: folder.path }).stdout).toBe('');
  });
});
