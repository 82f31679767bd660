import { load } from 'wasm-attention';
import { attends } from './library.js';

/** The check for pages that are isolated from other origins, and for servers. */
export const threads = {
  threads: async () => {
    const attention = await load({ threads: 2, fresh: true });
    if (attention.features.threads !== 2) throw new Error('expected two threads, got one');
    await attends(attention);
  },
};
