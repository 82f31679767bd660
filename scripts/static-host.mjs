// Serves a folder as a typical static host does, locally.
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const TYPES = /** @type {Record<string, string>} */ ({
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
});
/** Headers for cross-origin isolation, so that pages can use several threads. */
export const ISOLATED = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};
/** The best quality that compresses while a reader waits. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/**
 * Compresses files if the browser accepts that, and redirects `/en` to `/en/`. Files with a hash in their name may be
 * cached for a year; all others are revalidated.
 *
 * @param {string} folder
 * @param {Record<string, string>} [headers]  More of every answer's headers.
 * @returns {import('node:http').Server}
 */
export function host(folder, headers = {}) {
  /** @type {Map<string, Buffer>} */
  const kept = new Map();
  /** @param {string} file @param {string} encoding @param {number} time @returns {Buffer} */
  const encoded = (file, encoding, time) => {
    const key = `${encoding} ${time} ${file}`;
    let body = kept.get(key);
    if (body === undefined) {
      body = readFileSync(file);
      if (encoding === 'br') body = brotliCompressSync(body, BROTLI);
      else if (encoding === 'gzip') body = gzipSync(body, { level: 9 });
      kept.set(key, body);
    }
    return body;
  };
  return createServer((request, response) => {
    /**
     * @param {number} status @param {import('node:http').OutgoingHttpHeaders} [more] @param {string | Buffer} [body]
     */
    const answer = (status, more, body) => response.writeHead(status, { ...headers, ...more }).end(body);
    const path = pathOf(request.url ?? '/');
    const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
    const found = statusOf(file);
    if (found?.isDirectory()) {
      const query = /\?.*/s.exec(request.url ?? '')?.[0] ?? '';
      answer(301, { location: `${path}/${query}` });
      return;
    }
    if (found === undefined) {
      answer(404, { 'content-type': 'text/plain' }, 'Not found');
      return;
    }
    const type = TYPES[extname(file)];
    const accepted = String(request.headers['accept-encoding']);
    const encoding = type === undefined ? '' : /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : '';
    const body = encoded(file, encoding, found.mtimeMs);
    answer(
      200,
      {
        'content-type': type ?? 'application/octet-stream',
        'content-length': body.length,
        'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
        'x-content-type-options': 'nosniff',
        vary: 'accept-encoding',
        ...(encoding && { 'content-encoding': encoding }),
      },
      body,
    );
  });
}

/**
 * What the file system says of a path; undefined for one that it has not or cannot have, such as a very long name.
 *
 * @param {string} file
 */
function statusOf(file) {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}

/**
 * The path of a URL's file within the folder; a path that does not exist if the URL cannot be decoded.
 *
 * @param {string} url
 * @returns {string}
 */
function pathOf(url) {
  try {
    return normalize(decodeURIComponent(new URL(url, 'http://localhost').pathname)).replaceAll('\0', '');
  } catch {
    return '/?';
  }
}
