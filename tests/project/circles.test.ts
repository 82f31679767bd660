/** No file of web/ imports itself through others, types included, so that each can be read on its own. */
import { readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';
import { ROOT, read } from '../package/support.js';

/** The files of web/ that each file of web/ imports. */
function importsOf(files: readonly string[]): Map<string, string[]> {
  return new Map(
    files.map((file) => {
      const relative = ts.preProcessFile(read(file)).importedFiles.filter(({ fileName }) => fileName.startsWith('.'));
      const paths = relative.map(({ fileName }) => posix.join(posix.dirname(file), fileName).replace(/\.js$/, '.ts'));
      return [file, paths.filter((path) => files.includes(path))];
    }),
  );
}

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
  const files = readdirSync(join(ROOT, 'web'), { recursive: true, encoding: 'utf8' })
    .map((file) => `web/${file}`)
    .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'));
  const imports = importsOf(files);
  expect([...imports.values()].flat().length).toBeGreaterThan(500);
  expect(circleIn(imports)).toEqual([]);
});
