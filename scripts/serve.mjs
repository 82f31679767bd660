// Serves the built page on 127.0.0.1 until it is stopped.
import { preview } from 'vite';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const outDir = join(root, 'build/page');
const port = Number(process.env.PORT ?? 4173);
/** Redirects `/en` to `/en/`, as static hosts do. */
const folders = {
  name: 'folders',
  /** @param {import('vite').PreviewServer} server */
  configurePreviewServer(server) {
    server.middlewares.use((request, response, next) => {
      const [path = '/', query] = (request.url ?? '/').split('?');
      if (!/^(\/[\w-]+)+$/.test(path) || !existsSync(join(outDir, path, 'index.html'))) return next();
      response.writeHead(301, { location: `${path}/${query === undefined ? '' : `?${query}`}` }).end();
    });
  },
};

try {
  const server = await preview({
    root,
    configFile: false,
    appType: 'mpa',
    logLevel: 'error',
    build: { outDir },
    plugins: [folders],
    preview: {
      host: '127.0.0.1',
      port,
      strictPort: true,
      // Cross-origin isolation, so that the race can use several threads.
      headers: {
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-embedder-policy': 'require-corp',
      },
    },
  });
  console.log(`The page is at ${server.resolvedUrls?.local[0]} — press Ctrl+C to stop.`);
} catch (error) {
  const { message } = /** @type {Error} */ (error);
  console.error(`start: ${/already in use/.test(message) ? `port ${port} is busy` : message}`);
  process.exitCode = 1;
}
