// Serves the built page on 127.0.0.1 until it is stopped.
import { preview } from 'vite';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const port = Number(process.env.PORT ?? 4173);
try {
  const server = await preview({
    root,
    configFile: false,
    appType: 'mpa',
    logLevel: 'error',
    build: { outDir: join(root, 'build/page') },
    preview: { host: '127.0.0.1', port, strictPort: true },
  });
  console.log(`The page is at ${server.resolvedUrls?.local[0]} — Ctrl+C stops it.`);
} catch (error) {
  const { message } = /** @type {Error} */ (error);
  console.error(`start: ${/already in use/.test(message) ? `port ${port} is busy` : message}`);
  process.exitCode = 1;
}
