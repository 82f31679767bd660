import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { createInterface } from 'node:readline';
import { ROOT, run } from '../../package/support.js';

/** A server on a port that the system chose. */
async function listen(): Promise<{ server: Server; port: number }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

describe('start', () => {
  it('prints one line if the port is busy', async () => {
    const { server, port } = await listen();
    try {
      const { status, stderr } = run('bash', ['scripts/start.sh'], { env: { PORT: String(port) } });
      expect(status).toBe(1);
      expect(stderr).toMatch(new RegExp(`^start: port ${port} is busy: choose another one, .*\n$`));
    } finally {
      server.close();
    }
  });

  it('prints one line if the port becomes busy during the build', async () => {
    const { server, port } = await listen();
    try {
      const { status, stderr } = run('node', ['scripts/serve.mjs'], { env: { PORT: String(port) } });
      expect(status).toBe(1);
      expect(stderr).toBe(`start: port ${port} is busy\n`);
    } finally {
      server.close();
    }
  });

  it.each(['0', '65536', 'http', '80 81'])('rejects %s as a port', (PORT) => {
    const { status, stderr } = run('bash', ['scripts/start.sh'], { env: { PORT } });
    expect(status).toBe(1);
    expect(stderr).toBe(`start: PORT: expected a number from 1 to 65535, got '${PORT}'\n`);
  });

  it('prints the URL of the page', async () => {
    const { server, port } = await listen();
    server.close();
    await once(server, 'close');
    const env = { ...process.env, PORT: String(port) };
    const child = spawn('bash', ['scripts/start.sh'], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      let url: string | undefined;
      for await (const line of createInterface(child.stdout)) {
        url = /http:\/\/\S+/.exec(line)?.[0];
        if (url) break;
      }
      expect(url).toBe(`http://127.0.0.1:${port}/`);
      const response = await fetch(url!);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toMatch(/^text\/html/);
      // Isolated, so that the race has threads.
      expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(response.headers.get('cross-origin-embedder-policy')).toBe('require-corp');
      // A folder without its slash redirects, and keeps the query.
      const folder = await fetch(`${url!}en?fig-masks=seed%3D2`);
      expect(folder.status).toBe(200);
      expect(folder.url).toBe(`${url!}en/?fig-masks=seed%3D2`);
      expect((await fetch(`${url!}nothing`)).status).toBe(404);
      expect((await fetch(`${url!}%E0%A4%A`)).status).toBe(404);
      expect((await fetch(`${url!}..%2F..%2Fpackage.json`)).status).toBe(404);
      for (const encoding of ['br', 'gzip']) {
        const compressed = await fetch(`${url!}en/`, { headers: { 'accept-encoding': encoding } });
        expect(compressed.headers.get('content-encoding')).toBe(encoding);
        expect(await compressed.text()).toMatch(/^<!doctype html>/i);
      }
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  }, 60_000);
});
