/** Which files import which: the page knows the elements, those the library, and no file itself through others. */
import { readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';
import { ROOT, read } from '../package/support.js';

/** What each file of a folder imports, types and dynamic imports included: other files as paths, packages by name. */
function importsOf(folder: string): Map<string, string[]> {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'));
  return new Map(
    files.map((file) => [
      file,
      ts
        .preProcessFile(read(file))
        .importedFiles.map(({ fileName }) =>
          fileName.startsWith('.') ? posix.join(posix.dirname(file), fileName).replace(/\.js$/, '.ts') : fileName,
        ),
    ]),
  );
}

const web = importsOf('web');

/** What files in a folder may not import, and the exceptions: files that need what the package does not export. */
const FORBIDDEN: readonly (readonly [folder: string, imported: RegExp, except: readonly string[]])[] = [
  ['web/lib/', /^(web\/(elements|page|training)\/|lit$|d3-)/, []],
  ['web/training/', /^web\/(lib|elements|page)\//, []],
  [
    'web/elements/',
    /^web\/(lib\/|page\/|training\/(?!index\.ts$))/,
    [
      'web/elements/complexity-race/race-worker.ts',
      'web/elements/shared/training-worker.ts',
      'web/elements/shared/training-worker.inline.ts',
    ],
  ],
  [
    'web/page/',
    /^web\/(lib\/|elements\/.+\/)/,
    // The page is built without the package.
    ['web/page/cells/sandbox.ts', 'web/page/plugins/runCell.ts', 'web/page/plugins/template.ts'],
  ],
  [
    'tests/',
    /^(web\/lib|dist)\//,
    [
      'tests/fuzz/long/largest.test.ts',
      'tests/models/attentionOptions.test.ts',
      'tests/models/fixtures.ts',
      'tests/models/gguf/blocks.test.ts',
      'tests/models/sampling.test.ts',
      'tests/models/steps.test.ts',
    ],
  ],
];

test.each(FORBIDDEN)('files in %s do not import %s', (folder, imported, except) => {
  const imports = folder === 'tests/' ? importsOf('tests') : web;
  const found = [...imports].filter(
    ([file, names]) => file.startsWith(folder) && names.some((name) => imported.test(name)),
  );
  expect(found.map(([file]) => file).sort()).toEqual([...except].sort());
});

/** The first circle found along the imports. */
function circleIn(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]): string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return [];
    done.add(file);
    for (const next of imports.get(file) ?? []) {
      const circle = walk(next, [...path, file]);
      if (circle.length > 0) return circle;
    }
    return [];
  };
  for (const file of imports.keys()) {
    const circle = walk(file, []);
    if (circle.length > 0) return circle;
  }
  return [];
}

test('a circle is found', () => {
  const around = { a: ['b', 'c'], b: ['d'], c: ['d'], d: ['e'], e: ['b'] };
  expect(circleIn(new Map(Object.entries(around)))).toEqual(['b', 'd', 'e', 'b']);
  expect(circleIn(new Map(Object.entries({ ...around, e: [] })))).toEqual([]);
});

test('web/ has none', () => {
  const imports = new Map([...web].map(([file, names]) => [file, names.filter((name) => web.has(name))]));
  expect([...imports.values()].flat().length).toBeGreaterThan(500);
  expect(circleIn(imports)).toEqual([]);
});
