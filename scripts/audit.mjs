// Prints Lighthouse's four scores of the built page with its mobile preset, which simulates slow 4G and a slow
// processor. Exits with 1 if a score is below its limit. Build the page first.
//   usage: node scripts/audit.mjs [--dir FOLDER] [--runs N] [--path PATH]… [--json FOLDER]
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { host } from './static-host.mjs';

/** @typedef {{ title: string, score: number | null, scoreDisplayMode: string, displayValue?: string, numericValue?: number }} Audit */
/** @typedef {{ score: number | null, auditRefs: { id: string, weight: number }[] }} Category */
/** @typedef {{ categories: Record<string, Category>, audits: Record<string, Audit>, environment: { benchmarkIndex: number }, runtimeError?: { message: string } }} Report */

const root = join(import.meta.dirname, '..');
const tools = join(root, 'tests/audit');
/** Minimum scores, out of 100. */
const BARS = { performance: 98, accessibility: 100, 'best-practices': 100, seo: 100 };
/** Metrics to print next to the scores, to explain the performance score. */
const METRICS = [
  'first-contentful-paint',
  'largest-contentful-paint',
  'total-blocking-time',
  'cumulative-layout-shift',
  'speed-index',
];
/**
 * Below this benchmark index the machine is too slow or too busy for the simulation; Lighthouse warns below it as well.
 */
const QUIET = 1000;

/** Installs Lighthouse, which has its own folder and lock file, unless it is up to date. */
function install() {
  const time = (/** @type {string} */ name) =>
    existsSync(join(tools, name)) ? statSync(join(tools, name)).mtimeMs : 0;
  if (time('node_modules/.package-lock.json') >= time('package-lock.json')) return;
  console.error('audit: installing Lighthouse (once)');
  const { status, stdout, stderr } = spawnSync(
    'npm',
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', tools],
    { cwd: tools, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`npm ci failed in tests/audit\n${stdout}${stderr}`.trim());
}

/**
 * Runs Lighthouse once, in a fresh browser.
 *
 * @param {string} url
 * @returns {Promise<Report>}
 */
async function lighthouse(url) {
  const child = spawn(
    process.execPath,
    [
      join(tools, 'node_modules/lighthouse/cli/index.js'),
      url,
      '--output=json',
      '--output-path=stdout',
      '--quiet',
      '--no-enable-error-reporting',
      '--locale=en',
      `--only-categories=${Object.keys(BARS).join()}`,
      '--chrome-flags=--no-sandbox --headless=new',
    ],
    {
      env: { CHROME_PATH: process.env.CHROMIUM ?? '/usr/bin/chromium', ...process.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (err += text));
  const status = await new Promise((done) => child.on('close', done));
  /** @type {Report | undefined} */
  const report = out.startsWith('{') ? JSON.parse(out) : undefined;
  const failure = report?.runtimeError?.message ?? (status === 0 ? undefined : err.trim());
  if (report === undefined || failure !== undefined) throw new Error(`Lighthouse failed: ${failure ?? err.trim()}`);
  return report;
}

const points = (/** @type {Category | undefined} */ category) => Math.round(100 * (category?.score ?? 0));

/**
 * Prints one page's scores and the audits that cost it points.
 *
 * @param {string} path
 * @param {Report} report
 * @returns {boolean} whether every score reaches its minimum
 */
function print(path, { categories, audits, environment }) {
  let good = true;
  console.log(`${path}  (benchmark index of this machine ${Math.round(environment.benchmarkIndex)})`);
  for (const [name, bar] of Object.entries(BARS)) {
    const category = categories[name];
    const score = points(category);
    good &&= score >= bar;
    console.log(`  ${name.padEnd(16)}${String(score).padStart(4)}${score < bar ? `  BELOW ${bar}` : ''}`);
    for (const { id, weight } of category?.auditRefs ?? []) {
      const audit = audits[id];
      if (audit?.score == null || audit.score >= 0.9 || audit.scoreDisplayMode === 'informative') continue;
      const value = audit.displayValue === undefined ? '' : `: ${audit.displayValue}`;
      console.log(`    ${weight > 0 ? '✗' : '·'} ${audit.title} (${id})${value}`);
    }
  }
  const metrics = METRICS.map((id) => `${id} ${audits[id]?.displayValue ?? '–'}`);
  console.log(`  ${metrics.join(', ')}`);
  return good;
}

try {
  const { values } = parseArgs({
    options: {
      dir: { type: 'string', default: join(root, 'build/page') },
      runs: { type: 'string', default: '3' },
      path: { type: 'string', multiple: true, default: ['/en/', '/ko/', '/en/further/', '/en/models/', '/en/proof/'] },
      json: { type: 'string' },
    },
  });
  const folder = resolve(values.dir);
  const runs = Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1)
    throw new Error(`--runs: expected a whole number of at least 1, got ${values.runs}`);
  if (!existsSync(join(folder, 'index.html'))) {
    throw new Error(`there is no page in ${folder}: run \`npm run build\` first`);
  }
  install();
  const server = host(folder);
  await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  try {
    for (const path of values.path) {
      /** @type {Report[]} */
      const reports = [];
      for (let run = 0; run < runs; run++) reports.push(await lighthouse(`http://127.0.0.1:${port}${path}`));
      reports.sort((a, b) => points(a.categories.performance) - points(b.categories.performance));
      const median = /** @type {Report} */ (reports[Math.floor(runs / 2)]);
      if (!print(path, median)) process.exitCode = 1;
      if (median.environment.benchmarkIndex < QUIET) {
        console.log(
          '  This machine is busy or slow, so the performance score is too low. The other three scores are valid.',
        );
      }
      if (values.json !== undefined) {
        mkdirSync(values.json, { recursive: true });
        const name = path.replace(/\W+/g, '-').replace(/^-|-$/g, '') || 'index';
        writeFileSync(join(values.json, `${name}.json`), JSON.stringify(median));
      }
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
} catch (error) {
  console.error(`audit: ${/** @type {Error} */ (error).message}`);
  process.exitCode = 1;
}
