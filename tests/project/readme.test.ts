/** The README is complete, short, and agrees with package.json; docs.test.ts runs its programs. */
import { read } from '../package/support.js';

const readme = read('README.md');
const { scripts, exports } = JSON.parse(read('package.json')) as {
  scripts: Record<string, string>;
  exports: Record<string, unknown>;
};

/** What follows `npm` and is npm's own command, or a word of a sentence. */
const COMMANDS = ['ci', 'install', 'pack', 'pkg', 'publish', 'run', 'scripts', 'package'];

it('names only scripts of package.json', () => {
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
    .filter((path) => !/[*]|json$|wasm$|thread$/.test(path))
    .map((path) => path.replace('.', 'wasm-attention'));
  expect(named.sort()).toEqual(entries.sort());
});

it('fits on two screens without its table of operations', () => {
  const lines = readme.split('\n').filter((line) => !/^\| `\w+(\(|`)/.test(line));
  expect(lines.length).toBeLessThanOrEqual(110);
});
