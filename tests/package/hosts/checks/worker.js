import { loadWorker } from 'wasm-attention/worker';
import { attends } from './library.js';

/** The check for engines with workers. */
export const worker = {
  worker: async () => {
    const attention = await loadWorker();
    await attends(attention);
    attention.dispose();
  },
};
