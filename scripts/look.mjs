// Looks at the built page in Chromium, Firefox or WebKitGTK, and prints what its console shows.
//   usage: npm run look -- chromium|firefox|webkit [PATH] [--width 390] [--height 800] [--dark] [--isolated]
//                          [--at SELECTOR] [--run JAVASCRIPT] [--out FILE.png]
// PATH is `/en/` by default. --at scrolls to an element, --run prints the value of an expression in the page, which may be
// a promise, and --isolated serves the page cross-origin isolated.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { launch } from './engines.mjs';
import { host, ISOLATED } from './static-host.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    width: { type: 'string', default: '1280' },
    height: { type: 'string', default: '800' },
    dark: { type: 'boolean' },
    isolated: { type: 'boolean' },
    at: { type: 'string' },
    run: { type: 'string' },
    out: { type: 'string' },
  },
});
const [engine, path = '/en/'] = positionals;
if (engine !== 'chromium' && engine !== 'firefox' && engine !== 'webkit') {
  console.error('usage: npm run look -- chromium|firefox|webkit [PATH] [options of scripts/look.mjs]');
  process.exit(1);
}

const server = host(join(import.meta.dirname, '../build/page'), values.isolated ? ISOLATED : {}).listen(0, '127.0.0.1');
const browser = await launch(engine, { dark: values.dark });
try {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const size = { width: Number(values.width), height: Number(values.height) };
  await browser.open(new URL(path, `http://127.0.0.1:${port}`).href, size);
  if (values.at !== undefined) {
    await browser.run((selector) => {
      document.querySelector(selector)?.scrollIntoView({ behavior: 'instant', block: 'center' });
    }, values.at);
  }
  await browser.run(async () => {
    await document.fonts.ready;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  });
  if (values.run !== undefined) {
    // `run` only needs the function's text.
    const inside = /** @type {any} */ (`() => ${values.run}`);
    console.log(await browser.run(inside));
  }
  if (values.out !== undefined) writeFileSync(values.out, await browser.screenshot());
  for (const message of await browser.messages()) console.log(message);
} finally {
  await browser.close();
  server.close();
}
