// A proxy through which browsers load pages, so that each begins with a script that keeps what the console shows:
// WebDriver has no command for that.
import { createServer, request } from 'node:http';

const SCRIPT = '/console-messages.js';

function inPage() {
  /** @type {string[]} */
  const shown = [];
  Object.assign(window, { shown });
  for (const level of /** @type {const} */ (['log', 'info', 'warn', 'error'])) {
    console[level] = (...values) => void shown.push(`${level}: ${values.join(' ')}`);
  }
  // Also of files that cannot be loaded, whose errors do not bubble.
  const onError = (/** @type {ErrorEvent} */ { message, filename, target }) => {
    if (target === window) {
      // What needs another frame is no error, and most consoles do not show it.
      if (!message.startsWith('ResizeObserver loop')) shown.push(`${message} (${filename})`);
      return;
    }
    const { outerHTML } = /** @type {Element} */ (target);
    // Firefox cannot preload a module that it already has.
    if (!outerHTML.includes('modulepreload')) shown.push(`not loaded: ${outerHTML}`);
  };
  addEventListener('error', onError, true);
  addEventListener('unhandledrejection', ({ reason }) => void shown.push(`rejected: ${reason}`));
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    shown.push(`refused by ${violatedDirective}: ${blockedURI}`);
  });
}

/** The messages since the last call; runs in a page. @returns {string[]} */
export const takeMessages = () => /** @type {any} */ (window).shown.splice(0);

/** Starts the proxy on a free port. @returns {Promise<{ port: number, close: () => unknown }>} */
export function keepMessages() {
  const server = createServer((asked, answer) => {
    const { pathname } = new URL(asked.url ?? '');
    if (pathname === SCRIPT) {
      answer.setHeader('content-type', 'text/javascript');
      answer.end(`(${inPage})()`);
      return;
    }
    const { url = '', method, headers } = asked;
    const forwarded = request(url, { method, headers: { ...headers, 'accept-encoding': 'identity' } }, (response) => {
      const { statusCode = 500, headers } = response;
      // Service workers keep pages as they are.
      const shown = /^(document|iframe)$/.test(String(asked.headers['sec-fetch-dest']));
      if (!shown || !headers['content-type']?.startsWith('text/html')) {
        answer.writeHead(statusCode, headers);
        response.pipe(answer);
        return;
      }
      const { 'content-length': _, ...others } = headers;
      answer.writeHead(statusCode, others);
      let html = '';
      response.setEncoding('utf8').on('data', (text) => (html += text));
      response.on('end', () => answer.end(html.replace('<head>', `$&<script src="${SCRIPT}"></script>`)));
    });
    forwarded.on('error', () => answer.destroy());
    asked.pipe(forwarded);
  });
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      resolve({
        port,
        close() {
          server.close();
          server.closeAllConnections();
        },
      });
    }),
  );
}
