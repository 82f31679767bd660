// Debian's Chromium, Firefox and WebKitGTK behind one interface (`npm run setup -- --browsers` installs them):
//
//   const browser = await launch('webkit', { dark: true });         // or 'chromium', 'firefox'
//   await browser.open('http://127.0.0.1:4173/en/', { width: 390 });
//   const top = await browser.run((id) => document.getElementById(id).getBoundingClientRect().top, 'masks');
//   await browser.until(() => document.querySelector('[drawn]') !== null);
//   await browser.drag([100, 200], [150, 220]);                     // pixels from the window's left and top
//   await browser.press('ArrowRight');
//   await browser.messages();                                       // of the console, since the last call
//   await writeFile('seen.png', await browser.screenshot());
//   await browser.close();
//
// scripts/look.mjs does this from the command line.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepMessages, takeMessages } from './console-messages.mjs';
import { eventually, overHttp, overMarionette } from './webdriver.mjs';

/** @typedef {'chromium' | 'firefox' | 'webkit'} Engine */
/** @typedef {readonly [x: number, y: number]} Point */
/**
 * @typedef {object} Setting
 * @property {boolean} dark
 * @property {string} folder
 * @property {number} proxy  A proxy's port.
 * @property {(command: string, args: string[], environment?: Record<string, string>) => import('node:child_process').ChildProcess} start
 */
/**
 * @typedef {object} Started
 * @property {string} version
 * @property {import('./webdriver.mjs').Send} send
 * @property {(width: number, height: number) => Promise<void>} [resize]  Gives the page any size.
 */

const FONTS = join(import.meta.dirname, '../tests/browser/fonts');
const SHELL = '/usr/bin/chromium-headless-shell';
const CHROMIUM = process.env.CHROMIUM ?? (existsSync(SHELL) ? SHELL : '/usr/bin/chromium');

/** Windows of WebKitGTK are never narrower: a narrower page is opened in a frame. */
const NARROWEST = 500;

/** The codes of keys that are no characters. */
const KEYS = {
  Enter: '\uE007',
  Tab: '\uE004',
  Escape: '\uE00C',
  Shift: '\uE008',
  ArrowLeft: '\uE012',
  ArrowUp: '\uE013',
  ArrowRight: '\uE014',
  ArrowDown: '\uE015',
};

/** A browser with one window. */
export class Browser {
  #started;
  #stop;

  /** @param {Started} started @param {() => Promise<void>} stop */
  constructor(started, stop) {
    this.#started = started;
    this.#stop = stop;
  }

  get version() {
    return this.#started.version;
  }

  /**
   * Opens a page in a window of this size, and resolves when it is loaded.
   *
   * @param {string} url
   * @param {{ width?: number, height?: number }} [size]
   */
  async open(url, { width = 1280, height = 800 } = {}) {
    const { send, resize } = this.#started;
    // From the same page to a fragment of it, nothing would be loaded.
    await send('navigate', { url: 'about:blank' });
    if (resize) await resize(width, height);
    const framed = !resize && width < NARROWEST;
    // Also a path without a page can contain a frame of this origin.
    await send('navigate', { url: framed ? new URL('/frame', url).href : url });
    if (!resize) await this.#resize(Math.max(width, NARROWEST), height);
    if (!framed) return;
    await this.run(
      async (url, width, height) => {
        const frame = document.createElement('iframe');
        frame.src = url;
        frame.style.cssText = `position: fixed; inset: 0; border: 0; width: ${width}px; height: ${height}px`;
        document.body.replaceChildren(frame);
        await new Promise((resolve) => (frame.onload = resolve));
      },
      url,
      width,
      height,
    );
    await send('enter', { id: 0 });
  }

  /** Loads the page again, as readers do: WebDriver's command makes Firefox bypass service workers. */
  async reload() {
    const address = await this.run(() => {
      document.documentElement.id = 'old';
      setTimeout(() => location.reload());
      return location.href;
    });
    // In a new process, Firefox shows a blank page first.
    await this.until(
      (address) =>
        location.href === address && document.documentElement.id !== 'old' && document.readyState === 'complete',
      address,
    );
  }

  /** @param {number} width @param {number} height */
  async #resize(width, height) {
    const [besides, below] = await this.run(() => [outerWidth - innerWidth, outerHeight - innerHeight]);
    await this.#started.send('resize', { x: 0, y: 0, width: width + besides, height: height + below });
    await this.until((width, height) => innerWidth === width && innerHeight === height, width, height);
  }

  /**
   * Calls a function in the page. Its arguments and its result are JSON; it sees nothing else of its surroundings.
   *
   * @template {any[]} Arguments
   * @template Result
   * @param {(...given: Arguments) => Result} inside
   * @param {Arguments} given
   * @returns {Promise<Awaited<Result>>}
   */
  async run(inside, ...given) {
    const script = `const [given, done] = arguments;
      (async () => JSON.stringify([await (${inside})(...JSON.parse(given))]))()
        .catch((error) => error + '\\n' + error.stack).then(done);`;
    const answer = await this.#started.send('execute', { script, args: [JSON.stringify(given)] });
    if (!answer.startsWith('[')) throw new Error(`in the page: ${answer}`);
    return JSON.parse(answer)[0];
  }

  /**
   * Resolves once the function's result in the page is true.
   *
   * @template {any[]} Arguments
   * @param {(...given: Arguments) => unknown} inside
   * @param {Arguments} given
   */
  until(inside, ...given) {
    const isTrue = /** @type {typeof inside} */ (
      /** @type {any} */ (`async (...given) => Boolean(await (${inside})(...given))`)
    );
    return eventually(async () => {
      if (!(await this.run(isTrue, ...given))) throw new Error(`never true: ${inside}`);
    });
  }

  /** Clicks with the mouse. @param {Point} at */
  click(at) {
    return this.drag(at, at);
  }

  /** Moves the mouse with its button down. @param {Point} from @param {Point} to */
  drag([x, y], [right, down]) {
    const moves = Array.from({ length: 5 }, (_, i) => [x + ((right - x) * i) / 4, y + ((down - y) * i) / 4]);
    const [first, ...others] = moves.map(([x = 0, y = 0]) => ({
      type: 'pointerMove',
      x: Math.round(x),
      y: Math.round(y),
      duration: 0,
    }));
    const actions = [first, { type: 'pointerDown', button: 0 }, ...others, { type: 'pointerUp', button: 0 }];
    return this.#act({ type: 'pointer', id: 'mouse', actions });
  }

  /** Presses a key, a character or one of KEYS. @param {string} key @param {number} [times] */
  press(key, times = 1) {
    const value = key in KEYS ? KEYS[/** @type {keyof typeof KEYS} */ (key)] : key;
    const once = ['keyDown', 'keyUp'].map((type) => ({ type, value }));
    return this.#act({ type: 'key', id: 'keys', actions: Array(times).fill(once).flat() });
  }

  /** @param {object} source */
  #act(source) {
    return this.#started.send('act', { actions: [source] });
  }

  /** What the console has shown since the last call, and errors that nothing caught. @returns {Promise<string[]>} */
  messages() {
    return this.run(takeMessages);
  }

  /** The window, as PNG. @returns {Promise<Buffer>} */
  async screenshot() {
    return Buffer.from(await this.#started.send('screenshot'), 'base64');
  }

  async close() {
    await this.#started.send('quit').catch(() => undefined);
    await this.#stop();
  }
}

/** How to start each engine, in a folder for its files. */
const STARTS = {
  /** @param {Setting} setting @returns {Promise<Started>} */
  async chromium({ dark, proxy, start }) {
    const port = await freePort();
    start('chromedriver', [`--port=${port}`]);
    const args = [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      `--proxy-server=127.0.0.1:${proxy}`,
      '--proxy-bypass-list=<-loopback>',
      `--blink-settings=preferredColorScheme=${dark ? 0 : 1}`,
    ];
    const session = await overHttp(port, {
      browserName: 'chrome',
      'goog:chromeOptions': { binary: CHROMIUM, args },
    });
    return {
      ...session,
      async resize(width, height) {
        const params = { width, height, deviceScaleFactor: 1, mobile: false };
        await session.send('devtools', { cmd: 'Emulation.setDeviceMetricsOverride', params });
      },
    };
  },

  /** @param {Setting} setting @returns {Promise<Started>} */
  async firefox({ dark, folder, proxy, start }) {
    const preferences = {
      'marionette.port': 0,
      'network.proxy.type': 1,
      'network.proxy.http': '127.0.0.1',
      'network.proxy.http_port': proxy,
      'network.proxy.allow_hijacking_localhost': true,
      'layout.css.prefers-color-scheme.content-override': dark ? 0 : 1,
    };
    const lines = Object.entries(preferences).map(
      ([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`,
    );
    writeFileSync(join(folder, 'user.js'), lines.join(''));
    start('firefox-esr', [
      '--headless',
      '--marionette',
      '--remote-allow-system-access',
      '--no-remote',
      '--profile',
      folder,
    ]);
    const port = await eventually(() => Number(readFileSync(join(folder, 'MarionetteActivePort'), 'utf8')));
    const session = await overMarionette(port);
    return {
      ...session,
      // A window is never narrower than its buttons, but the page in it may be.
      async resize(width, height) {
        const script = `const [width, height, done] = arguments;
          const { style } = window.gBrowser.selectedBrowser;
          for (const limit of ['min', 'max']) {
            style.setProperty(limit + '-width', width + 'px');
            style.setProperty(limit + '-height', height + 'px');
          }
          done();`;
        await session.send('context', { value: 'chrome' });
        await session.send('execute', { script, args: [width, height] });
        await session.send('context', { value: 'content' });
      },
    };
  },

  /** @param {Setting} setting @returns {Promise<Started>} */
  async webkit({ dark, proxy, start }) {
    const screen = start('Xvfb', ['-displayfd', '3', '-screen', '0', '1600x1200x24', '-nolisten', 'tcp']);
    const display = await new Promise((resolve) => screen.stdio[3]?.once('data', resolve));
    const port = await freePort();
    start('WebKitWebDriver', [`--port=${port}`], {
      DISPLAY: `:${String(display).trim()}`,
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
      LIBGL_ALWAYS_SOFTWARE: '1',
      JSC_useSharedArrayBuffer: '1',
    });
    return overHttp(port, {
      browserName: 'MiniBrowser',
      proxy: { proxyType: 'manual', httpProxy: `127.0.0.1:${proxy}` },
      'webkitgtk:browserOptions': { args: ['--automation', ...(dark ? ['--dark-mode'] : [])] },
    });
  },
};

/**
 * Starts a browser with an empty profile.
 *
 * @param {Engine} engine
 * @param {{ dark?: boolean }} [options]
 */
export async function launch(engine, { dark = false } = {}) {
  const folder = await mkdtemp(join(tmpdir(), `${engine}-`));
  const proxy = await keepMessages();
  /** @type {(() => unknown)[]} */
  const ends = [() => rmSync(folder, { recursive: true, force: true, maxRetries: 9 }), () => proxy.close()];
  const stop = async () => {
    for (const end of ends.reverse()) await end();
  };
  /** @type {Setting['start']} */
  const start = (command, args, environment = {}) => {
    const fonts = { FONTCONFIG_PATH: FONTS, FONTCONFIG_FILE: `${process.env.FONTS ?? 'dejavu'}.conf` };
    const env = { ...process.env, ...fonts, ...environment };
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'], env });
    const ended = new Promise((resolve) => child.once('error', resolve).once('close', resolve));
    ends.push(() => {
      child.kill('SIGKILL');
      return ended;
    });
    return child;
  };
  try {
    return new Browser(await STARTS[engine]({ dark, folder, proxy: proxy.port, start }), stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}
