// Serves the built page on 127.0.0.1 until it is stopped.
import { join } from 'node:path';
import { host, ISOLATED } from './static-host.mjs';

const port = Number(process.env.PORT ?? 4173);

host(join(import.meta.dirname, '../build/page'), ISOLATED)
  .on('error', (/** @type {NodeJS.ErrnoException} */ { code, message }) => {
    console.error(`start: ${code === 'EADDRINUSE' ? `port ${port} is busy` : message}`);
    process.exitCode = 1;
  })
  .listen(port, '127.0.0.1', () => {
    console.log(`The page is at http://127.0.0.1:${port}/ — press Ctrl+C to stop.`);
  });
