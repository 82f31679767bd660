// Without a bundler, import the package by the URL of its file.
import { load } from './node_modules/wasm-attention/dist/index.js';

const attention = await load();
const words = ['the', 'animal', 'was', 'tired'];
const it = [[0.2, 0.9, 0.1]];
const keys = [
  [0.1, 0, 0.3],
  [0.3, 2.5, 0],
  [0, 0.2, 0.4],
  [0.1, 1.4, 0.2],
];

const { weights } = attention.scaledDotProductAttention(it, keys, keys, { needWeights: true });
document.querySelector('output').textContent = words
  .map((word, i) => `${word} ${Math.round(100 * weights.data[i])} %`)
  .join(', ');
