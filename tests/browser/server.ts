import { readFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { figures } from '../../web/elements/registry.js';
import { securityPolicy } from '../../web/page/plugins/policy.js';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

/** The page's policy, as a host may send it, too. */
export const POLICY = `${securityPolicy({ cells: true })}; frame-ancestors 'none'`;

const PAGE = join(import.meta.dirname, '../../build/page');

export interface ServerOptions {
  /** The folder that is served, by default the built page. */
  readonly folder?: string;
  readonly policy?: string;
  /** Whether pages of other origins may read the files, as on a CDN. */
  readonly shared?: boolean;
  /** Whether there is a service worker. */
  readonly offline?: boolean;
  /** Called with the path of every request. */
  readonly asked?: (path: string) => void;
  /** Additional response headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PageServer {
  readonly origin: string;
  close(): Promise<void>;
}

/** Serves a folder on a free local port, under the strict policy. */
export async function servePage(options: ServerOptions = {}): Promise<PageServer> {
  const server = createServer((request, response) => void answer(request.url ?? '/', response, options));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => closed(server) };
}

async function answer(
  url: string,
  response: ServerResponse,
  { folder = PAGE, policy = POLICY, shared = false, offline = true, asked, headers = {} }: ServerOptions,
): Promise<void> {
  asked?.(url);
  try {
    const path = normalize(decodeURIComponent(url.replace(/[?#].*/s, '')));
    if (!offline && path.endsWith('/service-worker.js')) throw new Error('not served');
    const file = path.endsWith('/') ? `${path}index.html` : path;
    const body = (await alone(folder, path)) ?? (await readFile(join(folder, file)));
    response.setHeader('content-type', TYPES[extname(file) || '.html'] ?? 'application/octet-stream');
    response.setHeader('content-security-policy', policy);
    if (shared) response.setHeader('access-control-allow-origin', '*');
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.end(body);
  } catch {
    response.writeHead(404).end();
  }
}

/**
 * At /LANGUAGE/FIGURE, the page in that language with only that figure, or a code cell; at /LANGUAGE/FIGURE+FIGURE, with
 * these figures as a group P; elsewhere undefined.
 */
async function alone(folder: string, path: string): Promise<string | undefined> {
  const [, language, tag = ''] = /^\/([a-z]{2})\/([\w+-]+)$/.exec(path) ?? [];
  const tags = tag.split('+');
  if (language === undefined || !tags.every((each) => each in figures || each === 'code-cell')) return undefined;
  const group = tags.length > 1 ? ' group="P"' : '';
  const html = await readFile(join(folder, language, 'index.html'), 'utf8');
  return html.replace(
    /(?<=<body>).*(?=<\/body>)/s,
    `<main>${tags.map((each) => `<${each}${group}></${each}>`).join('')}</main>`,
  );
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
