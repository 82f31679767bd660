// Python computes attention on the page, and a figure draws its weights.
import { loadPyodide } from 'pyodide';
import { load } from 'wasm-attention';
import 'wasm-attention/elements/head-viewer';

const python = await loadPyodide();
python.registerJsModule('wasm_attention', { attention: await load() });
const weights = python.runPython(await (await fetch('attention.py')).text());

const tokens = ['the', 'keys', 'are', 'here'];
document.querySelector('head-viewer').loadArrays({ weights, tokens });
const [first] = weights.data;
document.querySelector('output').textContent = `The first token gives itself a weight of ${first.toFixed(2)}.`;
