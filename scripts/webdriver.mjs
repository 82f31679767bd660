// The few commands of WebDriver that scripts/engines.mjs needs: as requests to a driver, or as messages to Firefox, which
// understands them without a driver (Marionette).
import { connect } from 'node:net';

/** Each command's request below `/session/ID`, and its name in Firefox. */
const COMMANDS = /** @satisfies {Record<string, readonly [method: string, path: string, name: string]>} */ ({
  navigate: ['POST', '/url', 'WebDriver:Navigate'],
  execute: ['POST', '/execute/async', 'WebDriver:ExecuteAsyncScript'],
  act: ['POST', '/actions', 'WebDriver:PerformActions'],
  resize: ['POST', '/window/rect', 'WebDriver:SetWindowRect'],
  enter: ['POST', '/frame', 'WebDriver:SwitchToFrame'],
  screenshot: ['GET', '/screenshot', 'WebDriver:TakeScreenshot'],
  devtools: ['POST', '/goog/cdp/execute', ''],
  context: ['', '', 'Marionette:SetContext'],
  quit: ['DELETE', '', 'Marionette:Quit'],
});

/** Milliseconds. */
const TIMEOUTS = { script: 110_000, pageLoad: 60_000 };

/** @typedef {(command: keyof typeof COMMANDS, parameters?: object) => Promise<any>} Send */

/**
 * Starts a session of a driver that listens on a port, or will soon.
 *
 * @param {number} port
 * @param {object} capabilities
 * @returns {Promise<{ version: string, send: Send }>}
 */
export async function overHttp(port, capabilities) {
  /** @param {string} method @param {string} path @param {object} [body] */
  const ask = async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
    });
    const { value } = /** @type {any} */ (await response.json());
    if (!response.ok) throw new Error(`${path}: ${value.error}: ${value.message}`);
    return value;
  };
  await eventually(() => ask('GET', '/status'));
  const alwaysMatch = { timeouts: TIMEOUTS, ...capabilities };
  const session = await ask('POST', '/session', { capabilities: { alwaysMatch } });
  return {
    version: session.capabilities.browserVersion,
    send(command, parameters) {
      const [method, path] = COMMANDS[command];
      return ask(method, `/session/${session.sessionId}${path}`, parameters);
    },
  };
}

/**
 * Starts a session of a Firefox that listens on a port.
 *
 * @param {number} port
 * @returns {Promise<{ version: string, send: Send }>}
 */
export async function overMarionette(port) {
  const socket = connect(port, '127.0.0.1');
  /** @type {Map<number, (error: any, value: any) => void>} */
  const waiting = new Map();
  let received = Buffer.alloc(0);
  socket.on('data', (data) => {
    received = Buffer.concat([received, data]);
    // Each message is `LENGTH:JSON`.
    for (;;) {
      const colon = received.indexOf(':');
      const end = colon + 1 + Number(received.subarray(0, colon));
      if (colon < 0 || received.length < end) return;
      const message = JSON.parse(String(received.subarray(colon + 1, end)));
      received = received.subarray(end);
      // The first message is a greeting.
      if (!Array.isArray(message)) continue;
      const [, id, error, value] = message;
      waiting.get(id)?.(error, value);
      waiting.delete(id);
    }
  });
  const lost = new Promise((_, reject) => {
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('Firefox has closed the connection')));
  });
  lost.catch(() => undefined);
  let count = 0;
  /** @param {string} name @param {object} [parameters] */
  const ask = (name, parameters = {}) => {
    const answer = new Promise((resolve, reject) => {
      const message = JSON.stringify([0, ++count, name, parameters]);
      waiting.set(count, (error, value) => {
        if (error === null) resolve(value !== null && 'value' in value ? value.value : value);
        else reject(new Error(`${name}: ${error.error}: ${error.message}`));
      });
      socket.write(`${Buffer.byteLength(message)}:${message}`);
    });
    return Promise.race([answer, lost]);
  };
  const session = /** @type {any} */ (
    await ask('WebDriver:NewSession', { capabilities: { alwaysMatch: { timeouts: TIMEOUTS } } })
  );
  return {
    version: session.capabilities.browserVersion,
    send: (command, parameters) => ask(COMMANDS[command][2], parameters),
  };
}

/**
 * The result of an action once it succeeds, within 30 seconds.
 *
 * @template T
 * @param {() => T | Promise<T>} action
 * @returns {Promise<T>}
 */
export async function eventually(action) {
  const end = performance.now() + 30_000;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}
