// Serves a folder as a typical static host does, for measurements.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const TYPES = /** @type {Record<string, string>} */ ({
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
});

/**
 * Compresses files if the browser accepts that. Files with a hash in their name may be cached for a year; all others are revalidated.
 *
 * @param {string} folder
 * @returns {import('node:http').Server}
 */
export function host(folder) {
  /** @type {Map<string, Buffer>} */
  const kept = new Map();
  /** @param {string} file @param {string} encoding @returns {Buffer} */
  const encoded = (file, encoding) => {
    const key = `${encoding} ${file}`;
    let body = kept.get(key);
    if (body === undefined) {
      body = readFileSync(file);
      if (encoding === 'br') body = brotliCompressSync(body);
      else if (encoding === 'gzip') body = gzipSync(body, { level: 9 });
      kept.set(key, body);
    }
    return body;
  };
  return createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname));
    const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
    if (!existsSync(file) || statSync(file).isDirectory()) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found');
      return;
    }
    const type = TYPES[extname(file)];
    const accepted = String(request.headers['accept-encoding']);
    const encoding =
      type === undefined ? '' : /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : '';
    const body = encoded(file, encoding);
    response.writeHead(200, {
      'content-type': type ?? 'application/octet-stream',
      'content-length': body.length,
      'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
      ...(encoding && { 'content-encoding': encoding }),
    });
    response.end(body);
  });
}
