import './wasm-attention/elements/index.js';
import { loadWorker } from './wasm-attention/worker.js';

const attention = await loadWorker();
const { output } = await attention.scaledDotProductAttention([[1, 0]], [[1, 0]], [[10]]);
const said = await chrome.runtime.sendMessage('write');
document.querySelector('output').textContent = `the worker computed ${output.data[0]}, the ${said}`;
