/**
 * One name per op: the C++ function, the binding, the TypeScript function, the file, the oracle, the test and the
 * README row have the same name. A new op makes this fail until every list has it.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, modulesIn, read } from '../package/support.js';

const names = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, name]) => name!);

const header = names(read('cpp/attention.h'), /^(?!struct )[a-z][\w:<> *]*?\b(\w+)\(/gm);
/** The bindings' description of themselves. */
const { ops: bound } = JSON.parse(read('web/lib/generated/bindings/description.json')) as {
  ops: { name: string; scratch: number }[];
};
const operations = read('web/lib/operations.ts');
const classes = read('web/lib/layers.ts');

const ops = modulesIn('web/lib/ops');
const layers = names(classes, /^ {2}readonly ([A-Z]\w+): new\b/gm);

/** The names in the proof page's table, which `npm run prove` writes. */
const proven = (JSON.parse(read('web/page/proof/agreement.json')) as { name: string }[]).map(({ name }) => name);

/** The lists that contain an op. */
const PLACES: Record<string, readonly string[]> = {
  'cpp/attention.h': header,
  'web/lib/operations.ts': names(operations, /^ {2}(?:readonly )?(\w+)[(:]/gm),
  'README.md': names(read('README.md'), /^\| `(\w+)/gm),
  'CHANGELOG.md': names(read('CHANGELOG.md'), /`(\w+)`/g),
  'tests/reference': modulesIn('tests/reference'),
  'tests/ops': modulesIn('tests/ops'),
  'web/page/proof/agreement.json': proven,
};

/** Where an op is missing, and why. */
const EXCEPTIONS: Record<string, Record<string, string>> = {
  tensor: {
    'cpp/attention.h': 'it copies, and computes nothing',
    'web/page/proof/agreement.json': 'it copies, and computes nothing',
  },
  sinusoidalEncoding2d: { 'cpp/attention.h': 'two tables of sinusoidalEncoding, copied side by side' },
  alibiSlopes: { 'cpp/attention.h': 'a number for each head' },
  alibiBias: { 'cpp/attention.h': 'a number for each distance; the rest is copies' },
  t5RelativeBuckets: { 'cpp/attention.h': 'a number for each distance; the rest is copies' },
  t5RelativeBias: { 'cpp/attention.h': 'a number for each distance; the rest is copies' },
  t5RelativeBiasBackward: { 'cpp/attention.h': 'one pass of additions; a copy into wasm would double it' },
  relativeShift: { 'cpp/attention.h': 'it copies, and computes nothing' },
  relativeShiftBackward: { 'cpp/attention.h': 'it copies, and computes nothing' },
  complexity: { 'cpp/attention.h': 'a handful of products, done in TypeScript' },
};

describe.each(ops)('%s', (op) => {
  it.each(Object.keys(PLACES))('is in %s, or is missing for a reason', (place) => {
    expect(PLACES[place]!.includes(op)).toBe(EXCEPTIONS[op]?.[place] === undefined);
  });
});

describe.each(layers)('the layer %s', (layer) => {
  it('has a test with its name', () => {
    expect(modulesIn('tests/layers')).toContain(layer);
  });

  it('is in README and CHANGELOG', () => {
    expect(PLACES['README.md']).toContain(layer);
    expect(PLACES['CHANGELOG.md']).toContain(layer);
  });

  it('is in the table of the proof page', () => {
    expect(proven).toContain(layer);
  });
});

test("the proof page's table has every family of models", () => {
  const [, table = ''] = read('web/lib/models/families/index.ts').split('FAMILIES = {');
  const families = names(table, /^ {2}'?([\w-]+)'?[:,]/gm);
  expect(families.length).toBeGreaterThan(30);
  expect(families.filter((family) => !proven.includes(family))).toEqual([]);
});

describe('the C++ functions', () => {
  it('are each declared and bound, and so is the size of their working memory', () => {
    const functions = bound.flatMap(({ name, scratch }) => (scratch ? [name, `${name}Scratch`] : [name]));
    expect(functions.sort()).toEqual([...header].sort());
  });

  it('are each run by a native test', () => {
    const folder = 'tests/native';
    const tests = readdirSync(join(ROOT, folder)).filter((name) => /\.(cpp|h)$/.test(name));
    const called = tests.map((name) => read(`${folder}/${name}`)).join('\n');
    const functions = header.filter((name) => !/(Scratch|Size|Kept|Length)$/.test(name));
    expect(functions.length).toBeGreaterThan(20);
    expect(functions.filter((name) => !new RegExp(`\\b${name}\\b`).test(called))).toEqual([]);
  });

  it('have no exceptions for ops that do not exist', () => {
    expect(ops).toEqual(expect.arrayContaining(Object.keys(EXCEPTIONS)));
  });
});
