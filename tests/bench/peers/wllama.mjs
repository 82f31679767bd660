/** llama.cpp as wasm. */
import { libraries, readJson } from '../host.mjs';
import { gguf } from './gguf.mjs';

export async function open({ threads = 1 } = {}) {
  const { version } = await readJson(new URL('../node_modules/@wllama/wllama/package.json', import.meta.url));

  async function prepare({ kind, params: { weightType }, config, tensors, history, ids }) {
    if (kind !== 'languageModel') return undefined;
    const wllama = await libraries.wllama();
    await wllama.loadModel([new Blob(gguf(config, tensors, weightType))], {
      n_ctx: config.max_position_embeddings,
      n_threads: threads,
      // Faster than float16, and what the others keep.
      cache_type_k: 'f32',
      cache_type_v: 'f32',
    });
    await wllama.decode(history, {});
    return {
      // It cannot remove everything behind no token.
      beforeSample: () => (history.length ? wllama.kvRemove(history.length, -1) : wllama.kvClear()),
      // The logits stay in its worker.
      run: () => wllama.decode(ids, {}),
      async read() {
        const logits = new Float32Array(config.vocab_size);
        for (const { token, p } of await wllama.getLogits(-1)) logits[token] = Math.log(p);
        // Probabilities do not say what all logits have in common; that of random weights is 0.
        const mean = logits.reduce((sum, value) => sum + value, 0) / logits.length;
        return { logits: logits.map((value) => value - mean) };
      },
    };
  }

  return { version, peers: [{ name: 'wllama', prepare }] };
}
