/** The server of `npm start` answers every request. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { host } from '../../scripts/static-host.mjs';

const folder = mkdtempSync(join(tmpdir(), 'static-host-'));
let server: Server;

beforeAll(async () => {
  mkdirSync(join(folder, 'en'));
  writeFileSync(join(folder, 'en/index.html'), 'page');
  server = host(folder);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

async function statusOf(path: string): Promise<number | undefined> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on('error', reject);
    sent.end();
  });
}

test.each([
  ['/en/', 200],
  ['/en', 301],
  ['/none', 404],
  ['/en/index.html/', 404],
  ['/en/index.html/x', 404],
  [`/${'a'.repeat(300)}`, 404],
  [`/${'a/'.repeat(3000)}`, 404],
  ['/%00', 404],
  ['/%ff', 404],
  ['/..%2f..%2f..%2f..%2fetc/passwd', 404],
  ['*', 404],
])('%s', async (path, status) => {
  expect(await statusOf(path)).toBe(status);
  expect(await statusOf('/en/')).toBe(200);
});
