import { load } from 'wasm-attention/slim';

const attention = await load({ layers: false });
const { data, shape } = attention.sinusoidalEncoding({ length: 60, dim: 32 });
const [, dim] = shape;
const dot = (i, j) => data.subarray(i * dim, (i + 1) * dim).reduce((sum, x, c) => sum + x * data[j * dim + c], 0);
document.querySelector('output').textContent = [0, 1, 5, 20]
  .map((distance) => `${distance} apart: ${dot(7, 7 + distance).toFixed(2)}`)
  .join(', ');
