/** For a process that ../in-node.mjs starts. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const modules = new URL('../node_modules/', import.meta.url);

export const engine = process.version;

export const read = readFile;

export function usage() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export const progress = (text) => process.send({ progress: text });

export function serve(handle) {
  process.once('message', async (task) => {
    const result = await handle(task);
    process.send({ result }, () => process.exit(0));
  });
}

export const libraries = {
  // The file for browsers does not find its threads in Node.
  ort: (threads) => (threads > 1 ? import('onnxruntime-web') : import('onnxruntime-web/wasm')),

  async tfjs(build) {
    const tf = require('@tensorflow/tfjs-core');
    const backend = require('@tensorflow/tfjs-backend-wasm');
    backend.setWasmPaths(fileURLToPath(new URL('@tensorflow/tfjs-backend-wasm/dist/', modules)));
    // The CommonJS package lacks the gradients. setup.mjs bundles them, and they register with the copy imported above.
    await import(new URL('tfjs-gradients.js', build));
    return { tf, version: backend.version_wasm };
  },

  wllama() {
    throw new Error('runs in browsers only');
  },
};
