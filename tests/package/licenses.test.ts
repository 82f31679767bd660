/** The licence of each package that is in a bundle stands beside the bundle. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, output, read } from './support.js';

/** Prints the packages of which a build has code. */
const BUILD = `
  import { build } from 'vite';
  const results = await build({ configFile: process.argv[1], logLevel: 'error', build: { write: false, minify: false } });
  const modules = [results].flat().flatMap(({ output }) => output).flatMap(({ modules }) => Object.entries(modules ?? {}));
  const files = modules.filter(([, { code }]) => code?.trim()).map(([file]) => file);
  const names = files.flatMap((file) => /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(file)?.[1] ?? []);
  console.log(JSON.stringify([...new Set(names)].sort()));
`;

it.each([
  ['web/vite.config.ts', 'dist/licenses.md'],
  ['web/elements/anywidget.config.ts', 'dist/elements/anywidget.licenses.md'],
])(
  'of what %s bundles in %s',
  (config, file) => {
    const env = { NODE_ENV: 'production' };
    const packages = JSON.parse(output('node', ['--input-type=module', '--eval', BUILD, config], { env })) as string[];
    expect(packages).toEqual(expect.arrayContaining(['lit-html', 'd3-scale', '@huggingface/tokenizers']));
    const text = read(file);
    expect([...text.matchAll(/^## (\S+) \d/gm)].map(([, name]) => name)).toEqual(expect.arrayContaining(packages));
    for (const name of packages) {
      const folder = join(ROOT, 'node_modules', name);
      const license = readdirSync(folder).find((each) => each.startsWith('LICENSE'))!;
      expect(text).toContain(readFileSync(join(folder, license), 'utf8').trim());
    }
    // What is not from npm: in the wasm, and the model's weights.
    for (const owner of ['Eigen', 'Rich Felker', '(c) 2023 Andrej']) expect(text).toContain(owner);
  },
  60_000,
);
