/** Whether the figures of the proof page are those of this benchmark: both in headless Chromium, in turns, the best of three runs. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { launch } from '../../scripts/built-page.mjs';
import { host, ISOLATED } from '../../scripts/static-host.mjs';
import { inBrowser } from './in-browser.mjs';

const BUILT = fileURLToPath(new URL('../../build/page', import.meta.url));
const RUNS = 3;
/** At least: the page takes as many samples of an encoder. */
const ROUNDS = 20;
const OURS = 'wasm-attention';
/** What the page measures, and the same in a row of the benchmark. */
const SAME = [
  ['attention.float32.one', 'attention-512', OURS],
  ['product.float32.one', 'int8-512x512x512', 'baseline'],
  ['product.int8.one', 'int8-512x512x512', OURS],
  ['encoder.float32.one', 'minilm-1x128', OURS],
  ['encoder.int8.one', 'minilm-1x128-int8', OURS],
  ['decoding.float32.one', 'story', OURS],
  ['decoding.float32.javascript', 'story', 'javascript'],
];

/** Clicks the page's button; returns the median milliseconds by name, and the seconds that all of it took. */
async function runPage(address) {
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.goto(`${address}/en/proof/`);
    const started = performance.now();
    await page.getByRole('button', { name: 'Start the benchmark' }).click();
    const link = page.getByRole('link', { name: 'Results as JSON' });
    await link.waitFor({ timeout: 600_000 });
    const seconds = (performance.now() - started) / 1000;
    const { rows } = JSON.parse(decodeURIComponent((await link.getAttribute('href')).replace(/^[^,]*,/, '')));
    return {
      seconds,
      times: Object.fromEntries(rows.map((row) => [`${row.work}.${row.type}.${row.side}`, row.median])),
    };
  } finally {
    await browser.close();
  }
}

/** Median milliseconds of the page and of the benchmark, and the page's seconds. */
export async function measureProof({ progress, ...task }) {
  if (!existsSync(`${BUILT}/en/proof`)) throw new Error('there is no page: run `npm run build`');
  const server = host(BUILT, ISOLATED).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const place = await inBrowser();
  const found = SAME.map(([name]) => ({ name, page: Infinity, bench: Infinity }));
  let seconds = 0;
  try {
    for (let run = 0; run < RUNS; ++run) {
      progress(`proof: run ${run + 1}, the page`);
      const { times, ...took } = await runPage(`http://127.0.0.1:${server.address().port}`);
      seconds = Math.max(seconds, took.seconds);
      for (const row of found) row.page = Math.min(row.page, times[row.name]);
      for (const name of new Set(SAME.map(([, work]) => work))) {
        const peers = name === 'story' ? ['javascript'] : [];
        const work = { ...task, name, kind: 'work', peers, rounds: Math.max(ROUNDS, task.rounds) };
        const { rows, failed } = await place.measure(work, progress);
        if (failed) throw new Error(failed);
        SAME.forEach(([, work, peer], i) => {
          if (work === name) found[i].bench = Math.min(found[i].bench, rows.find((row) => row.peer === peer).median);
        });
      }
    }
  } finally {
    await place.close();
    server.close();
  }
  return { rows: found, seconds };
}
