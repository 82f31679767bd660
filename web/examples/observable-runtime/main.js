// Cells of Observable's runtime: the encoding follows the slider, and the heat map follows the encoding.
import { Inspector } from '@observablehq/inspector';
import { Runtime } from '@observablehq/runtime';
import { load } from 'wasm-attention';
import 'wasm-attention/elements/heat-map';

const attention = await load();
const notebook = new Runtime().module();
const shown = Inspector.into('#cells');
const slider = document.querySelector('input');

notebook.define('length', slider.valueAsNumber);
notebook.define('encoding', ['length'], (length) => attention.sinusoidalEncoding({ length, dim: 16 }));
notebook.variable(shown()).define('largest', ['encoding'], ({ data }) => Math.max(...data));
notebook.variable(shown()).define(['encoding'], (encoding) => {
  const map = document.createElement('heat-map');
  map.loadArrays({ values: encoding });
  Object.assign(map, { label: 'Sinusoidal encoding', rowName: 'position', columnName: 'column' });
  return map;
});
slider.addEventListener('input', () => notebook.redefine('length', slider.valueAsNumber));
