/** Projects of frameworks, with the packed package installed, and their servers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, renameSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ROOT, output } from '../support.js';

/**
 * Copies a project's sources to a folder, with the checks and the model, and installs its packages.
 *
 * @param modules the project's folder that gets the checks
 * @param files the project's folder of what the browser can fetch
 */
export function install(folder: string, project: string, modules: string, files: string): void {
  cpSync(join(import.meta.dirname, project), folder, { recursive: true });
  cpSync(join(import.meta.dirname, 'checks'), join(folder, modules, 'checks'), { recursive: true });
  for (const place of ['.', files])
    cpSync(join(ROOT, 'tests/fixtures/stories260K'), join(folder, place, 'stories260K'), { recursive: true });
  const packed = output('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]);
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  renameSync(join(folder, filename), join(folder, 'wasm-attention.tgz'));
  output('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder });
}

/** How a program runs in a project. */
const options = (folder: string) => ({
  cwd: folder,
  env: {
    ...process.env,
    // Jest's own would be neither of development nor of production.
    NODE_ENV: undefined,
    // Some frameworks need a later version of Node, which is one of the project's packages.
    PATH: `${join(folder, 'node_modules/.bin')}:${process.env.PATH}`,
    ASTRO_TELEMETRY_DISABLED: '1',
    NEXT_TELEMETRY_DISABLED: '1',
    NUXT_TELEMETRY_DISABLED: '1',
  } as unknown as NodeJS.ProcessEnv,
});

/** Runs a command in a project to its end. */
export function runIn(folder: string, command: string): void {
  const [program, ...args] = command.split(' ');
  output(program!, args, options(folder));
}

export interface ProjectServer {
  readonly origin: string;
  stop(): Promise<void>;
}

/** Runs a command that serves a project on `PORT`, and waits until it answers. */
export async function serve(folder: string, command: string): Promise<ProjectServer> {
  const port = String(await freePort());
  const [program, ...args] = command.replace('PORT', port).split(' ');
  const { cwd, env } = options(folder);
  // A group of processes, which ends as a whole.
  const child = spawn(program!, args, { cwd, env: { ...env, PORT: port }, detached: true });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)));
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) process.kill(-child.pid!);
    await ended;
  };
  const origin = `http://localhost:${port}`;
  for (const start = Date.now(); Date.now() - start < 60_000 && child.exitCode === null;) {
    if (await answers(origin)) return { origin, stop };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await stop();
  throw new Error(`${command} does not answer\n${said}`);
}

async function answers(origin: string): Promise<boolean> {
  try {
    await fetch(origin);
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
