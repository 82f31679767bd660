// Embeds sentences in a Cloudflare Worker:  curl --data '["The cat was happy."]' http://localhost:8787/embed
// The folder `model` has a sentence transformer as Hugging Face publishes it: config.json, model.safetensors,
// tokenizer.json, tokenizer_config.json.
import { Tokenizer } from '@huggingface/tokenizers';
import { openModel } from 'wasm-attention/models';

let opened;

async function open(assets) {
  const read = (name) => assets.fetch(new URL(name, 'https://assets'));
  const json = async (name) => (await read(name)).json();
  const tokenizer = new Tokenizer(await json('tokenizer.json'), await json('tokenizer_config.json'));
  const weights = await (await read('model.safetensors')).arrayBuffer();
  const model = await openModel({ config: await json('config.json'), weights });
  return { tokenizer, model };
}

export default {
  async fetch(request, { MODEL }) {
    const sentences = await request.json();
    // The next requests to this isolate find the model open, or try again.
    opened ??= open(MODEL).catch((error) => {
      opened = undefined;
      throw error;
    });
    const { tokenizer, model } = await opened;
    const ids = sentences.map((sentence) => tokenizer.encode(sentence).ids);
    const { data, shape } = model.embed(ids, { normalize: true });
    return Response.json(sentences.map((_, i) => [...data.subarray(i * shape[1], (i + 1) * shape[1])]));
  },
};
