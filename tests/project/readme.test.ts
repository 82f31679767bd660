/** The README is whole, short, and says nothing that package.json does not have; its programs run in docs.test.ts. */
import { read } from '../package/support.js';

const readme = read('README.md');
const { scripts, exports } = JSON.parse(read('package.json')) as {
  scripts: Record<string, string>;
  exports: Record<string, unknown>;
};

/** What comes after `npm` and is a command of its own, or a word of a sentence. */
const COMMANDS = ['ci', 'install', 'pack', 'pkg', 'publish', 'run', 'scripts', 'package'];

it('names no script that package.json does not have', () => {
  const named = Array.from(
    `${readme}${read('CONTRIBUTING.md')}`.matchAll(/npm (?:run )?([a-z]+(?::[a-z]+)*)\b/g),
    ([, name]) => name!,
  ).filter((name) => !COMMANDS.includes(name));
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  expect(named).toEqual(expect.arrayContaining(['start', 'test']));
});

it('names every entry that users import', () => {
  const named = Array.from(readme.matchAll(/^\| `(wasm-attention[\w/-]*)`/gm), ([, name]) => name!);
  const entries = Object.keys(exports)
    .filter((path) => !/[*]|json$|wasm$|-thread$/.test(path))
    .map((path) => path.replace('.', 'wasm-attention'));
  expect(named.sort()).toEqual(entries.sort());
});

it('is read in two screens, its table of operations aside', () => {
  const lines = readme.split('\n').filter((line) => !/^\| `\w+(\(|`)/.test(line));
  expect(lines.length).toBeLessThanOrEqual(110);
});
