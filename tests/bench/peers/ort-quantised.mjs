/** onnxruntime's products with quantised weights. */
import { Graph } from './onnx-model.mjs';

const MICROSOFT = { domain: 'com.microsoft' };
const BLOCK = 32;

/** (n, k) as int8 (k, n) with a scale for each of the n outputs. */
function columns(weight, n, k) {
  const data = new Int8Array(n * k);
  const scales = new Float32Array(n);
  for (let j = 0; j < n; ++j) {
    const row = weight.subarray(j * k, (j + 1) * k);
    scales[j] = row.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127;
    for (let p = 0; p < k; ++p) data[p * n + j] = Math.round(row[p] / scales[j]);
  }
  return { data, scales };
}

/** (n, k) as 4-bit numbers around 8, two per byte, with a scale for each block of a row. */
function blocks(weight) {
  const data = new Uint8Array(weight.length / 2);
  const scales = new Float32Array(weight.length / BLOCK);
  for (let block = 0; block < scales.length; ++block) {
    const some = weight.subarray(block * BLOCK, (block + 1) * BLOCK);
    const scale = some.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 7;
    scales[block] = scale;
    const bits = (i) => Math.round(some[i] / scale) + 8;
    for (let i = 0; i < BLOCK; i += 2) data[(block * BLOCK + i) / 2] = bits(i) | (bits(i + 1) << 4);
  }
  return { data, scales };
}

export function quantised(way, { params: { m, k, n }, weight }) {
  const graph = new Graph();
  const a = graph.input('a', [m, k]);
  graph.output('c', [m, n]);
  const outputs = ['c'];
  if (way === 'n-bits') {
    const { data, scales } = blocks(weight);
    const perRow = k / BLOCK;
    const inputs = [a, graph.constant(data, [n, perRow, BLOCK / 2]), graph.constant(scales, [n * perRow])];
    const attributes = { K: k, N: n, bits: 4, block_size: BLOCK, accuracy_level: 4 };
    graph.add('MatMulNBits', inputs, attributes, { ...MICROSOFT, outputs });
    return graph.bytes();
  }
  if (way !== 'integer' && way !== 'dynamic') return undefined;
  const { data, scales } = columns(weight, n, k);
  const b = graph.constant(data, [k, n]);
  const scale = graph.constant(scales, [n]);
  if (way === 'dynamic') {
    graph.add('DynamicQuantizeMatMul', [a, b, scale], {}, { ...MICROSOFT, outputs });
    return graph.bytes();
  }
  const [rounded, aScale, zero] = ['rounded', 'scale', 'zero'].map((name) => graph.name(name));
  graph.add('DynamicQuantizeLinear', [a], {}, { outputs: [rounded, aScale, zero] });
  const sums = graph.add('MatMulInteger', [rounded, b, zero]);
  const floats = graph.add('Cast', [sums], { to: 1 });
  graph.add('Mul', [floats, graph.add('Mul', [scale, aScale])], {}, { outputs });
  return graph.bytes();
}
