import { load } from 'wasm-attention/slim';
import { attends } from './library.js';

/** The check for hosts that keep the wasm beside the script. */
export const slim = {
  slim: async () => attends(await load()),
};
