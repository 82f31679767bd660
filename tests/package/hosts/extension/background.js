import { load } from './wasm-attention/index.js';
import { openModel } from './wasm-attention/models.js';

chrome.runtime.onMessage.addListener((message, sender, answer) => {
  (async () => {
    const attention = await load();
    const read = (name) => fetch(chrome.runtime.getURL(`stories260K/${name}`));
    const [config, weights] = [await read('config.json'), await read('model.safetensors')];
    const model = await openModel({ config: await config.json(), weights: await weights.arrayBuffer(), attention });
    const tokens = [];
    for await (const token of model.generate([1, 403], { maxTokens: 10 })) tokens.push(token);
    answer(`background wrote ${tokens.length} tokens`);
  })().catch((error) => answer(error.message));
  return true;
});
