// Embeds sentences in a Cloudflare Worker:  curl --data '["The cat was happy."]' http://localhost:8787/embed
// The folder `model` has a sentence transformer as Hugging Face publishes it: config.json, model.safetensors,
// tokenizer.json, tokenizer_config.json.
import { Tokenizer } from '@huggingface/tokenizers';
import { openModel, readCheckpoint } from 'wasm-attention/models';

let opened;

async function open(assets) {
  const checkpoint = await readCheckpoint('https://assets/', { fetch: (...request) => assets.fetch(...request) });
  const model = await openModel({ ...checkpoint });
  const tokenizer = new Tokenizer(checkpoint.tokenizer.json, checkpoint.tokenizer.config);
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
