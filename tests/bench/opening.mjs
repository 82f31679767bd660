/** How much memory it takes to open 500 MB of bfloat16 from a server in another process. */
import { fork } from 'node:child_process';

/** Starts a script; resolves with its first message. */
function start(script, ...args) {
  const child = fork(new URL(script, import.meta.url), args, { stdio: ['ignore', 2, 2, 'ipc'] });
  const message = new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`${script} ended: ${code}`)));
  });
  return { child, message };
}

/** For each type: bytes of the parameters, of wasm memory, and of the process beyond that of a tiny model. */
export async function measureOpening({ progress }) {
  const { child, message } = start('opening-server.mjs');
  const { address, size, largest } = await message;
  try {
    const rows = [];
    for (const weightType of ['int8', 'float32']) {
      progress(`opening: ${weightType}`);
      const tiny = await start('opening-client.mjs', `${address}tiny`, weightType).message;
      const { ms, parameters, heap, peak } = await start('opening-client.mjs', address, weightType).message;
      const beyond = peak - tiny.peak;
      rows.push({ weightType, size, ms, parameters, heap, peak, beyond, allowed: 1.15 * parameters + 16e6 + largest });
    }
    return rows;
  } finally {
    child.kill();
  }
}
