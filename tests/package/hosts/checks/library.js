import { load } from 'wasm-attention';
import { openModel } from 'wasm-attention/models';

/** Attention over one key returns its value. */
export async function attends({ scaledDotProductAttention }) {
  const { output } = await scaledDotProductAttention([[1, 0]], [[1, 0]], [[10]]);
  if (output.data[0] !== 10) throw new Error(`expected 10, got ${output.data}`);
}

/**
 * The checks that run everywhere. `read` reads a file of the model.
 *
 * @param {(name: string) => Promise<Response>} read
 */
export const library = (read) => ({
  library: async () => attends(await load()),
  models: async () => {
    const [config, weights] = await Promise.all(['config.json', 'model.safetensors'].map(read));
    const model = await openModel({ config: await config.json(), weights: await weights.arrayBuffer() });
    const tokens = [];
    for await (const token of model.generate([1, 403], { maxTokens: 10 })) tokens.push(token);
    if (tokens.length !== 10) throw new Error(`expected 10 tokens, got ${tokens}`);
  },
});
