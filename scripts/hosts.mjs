// Writes the tables of web/docs/where-it-runs.md from tests/package/hosts, whose files the tests build.
//   usage: hosts.mjs [--check]      --check: only fails if the tables are out of date
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';

const ROOT = join(import.meta.dirname, '..');
const GUIDE = join(ROOT, 'web/docs/where-it-runs.md');
const HOSTS = join(ROOT, 'tests/package/hosts');

/** @typedef {{ name: string, tool?: string, folder?: string, files?: string[], needs?: string }} Host */
/** @type {Record<'hosts' | 'tests', Host[]>} */
const lists = JSON.parse(readFileSync(join(HOSTS, 'hosts.json'), 'utf8'));

/** The version of a tool that the tests install. @param {Host} host */
function versionOf({ tool, folder = '' }) {
  if (tool === undefined) return '';
  if (tool === 'node') return '20';
  for (const file of [
    'tests/package/matrix/package.json',
    `tests/package/hosts/${folder}/package.json`,
    'package.json',
  ]) {
    try {
      const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
      const range = dependencies[tool] ?? devDependencies[tool];
      if (range) return /[\d.]+$/.exec(range)?.[0];
    } catch {
      // Not every host has a package.json.
    }
  }
  throw new Error(`hosts: expected the version of ${tool} in a package.json, got none`);
}

/** A table of hosts, and below it the files that they need. @param {Host[]} hosts */
function tableOf(hosts) {
  const rows = hosts.map((host) => {
    const { name, files, needs = 'nothing' } = host;
    const named = files?.map((file) => `\`${file}\``).join(' and ');
    return `| ${name} | ${versionOf(host)} | ${named ? `${named} below, ${needs}` : needs} |`;
  });
  const files = hosts.flatMap(({ name, folder = '', files = [] }) =>
    files.map(
      (file) => `${name}, \`${file}\`:\n\n\`\`\`text\n${readFileSync(join(HOSTS, folder, file), 'utf8')}\`\`\`\n`,
    ),
  );
  return `| host | version | what it needs |\n| --- | --- | --- |\n${rows.join('\n')}\n\n${files.join('\n')}`;
}

const before = readFileSync(GUIDE, 'utf8');
const after = await format(
  before.replace(
    /(?<=<!-- (hosts|tests) -->\n).*?(?=<!-- end -->)/gs,
    (_old, list) => `\n${tableOf(lists[/** @type {'hosts' | 'tests'} */ (list)])}\n`,
  ),
  { ...(await resolveConfig(GUIDE)), parser: 'markdown' },
);
if (process.argv[2] !== '--check') writeFileSync(GUIDE, after);
else if (after !== before) {
  console.error('web/docs/where-it-runs.md: the tables are out of date; run `npm run format`');
  process.exitCode = 1;
}
