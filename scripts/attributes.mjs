// Writes the table of figures in web/elements/README.md from their settings.
//   usage: attributes.mjs [--check]      --check: only fails if the table is out of date
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { runnerImport } from 'vite';
import { classOf, figures, writeGenerated } from './figures.mjs';

const ROOT = join(import.meta.dirname, '..');
const README = join(ROOT, 'web/elements/README.md');

/** @typedef {import('../web/elements/shared/settings.js').Setting<unknown>} Setting */

writeGenerated();
// Constants that the builds define; importing the modules needs them.
Object.assign(globalThis, { __VERSION__: '', __RELAXED__: true });
const { module } = /** @type {{ module: Record<string, { settings: Record<string, Setting> }> }} */ (
  await runnerImport('./web/elements/generated/classes.ts', {
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    resolve: {
      alias: {
        'wasm-attention/models': join(ROOT, 'web/lib/models.ts'),
        'wasm-attention': join(ROOT, 'web/lib/index.ts'),
      },
    },
  })
);
const rows = Object.keys(figures()).map((tag) => {
  const attributes = Object.entries(module[classOf(tag)]?.settings ?? {}).map(
    ([name, setting]) => `\`${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}\` (${valuesOf(setting)})`,
  );
  return `| \`<${tag}>\` | ${attributes.join(', ')} |`;
});
const before = readFileSync(README, 'utf8');
const table = ['| element | attributes (default; others) |', '| --- | --- |', ...rows].join('\n');
const after = await format(
  before.replace(/^\| element +\| attributes[\s\S]*?\n(?=\n)/m, () => `${table}\n`),
  {
    ...(await resolveConfig(README)),
    parser: 'markdown',
  },
);
if (process.argv[2] !== '--check') writeFileSync(README, after);
else if (after !== before) {
  console.error('web/elements/README.md: the table of figures is out of date; run `npm run format`');
  process.exitCode = 1;
}

/** The default of a setting, and its other values. @param {Setting} setting @returns {string} */
function valuesOf({ initial, write, limits, words, each }) {
  const code = (/** @type {string} */ text) => `\`${text}\``;
  const text = write(initial);
  if (words !== undefined) {
    const others = words.filter((word) => word !== text).map(code);
    return `${code(text)}; ${others.join(', ')}`;
  }
  const range = limits ?? each?.limits;
  const step = range?.step === undefined || range.step === 1 ? '' : `, in steps of ${range.step}`;
  const number = (/** @type {number | string} */ value) => String(value).replace('-', '−');
  const values = range === undefined ? '' : `; ${number(range.min)} to ${number(range.max)}${step}`;
  return (text === '' ? 'none' : limits ? number(text) : code(text)) + values;
}
