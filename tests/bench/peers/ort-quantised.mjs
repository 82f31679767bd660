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

/** The whole numbers of an activation, its scale and its zero. */
export function roundedOf(graph, x) {
  const outputs = ['rounded', 'scale', 'zero'].map((name) => graph.name(name));
  graph.add('DynamicQuantizeLinear', [x], {}, { outputs });
  return outputs;
}

/** x · weightᵀ of the activation `of` = roundedOf(graph, x), with int8 weights (n, k). */
export function integerProduct(graph, [rounded, aScale, zero], weight, n, k, names) {
  const { data, scales } = columns(weight, n, k);
  const sums = graph.add('MatMulInteger', [rounded, graph.constant(data, [k, n]), zero]);
  const scale = graph.add('Mul', [graph.constant(scales, [n]), aScale]);
  return graph.add('Mul', [graph.add('Cast', [sums], { to: 1 }), scale], {}, names);
}

/** The same by onnxruntime's own operator, which rounds x itself. */
export function dynamicProduct(graph, x, weight, n, k, names) {
  const { data, scales } = columns(weight, n, k);
  const inputs = [x, graph.constant(data, [k, n]), graph.constant(scales, [n])];
  return graph.add('DynamicQuantizeMatMul', inputs, {}, { ...MICROSOFT, ...names });
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
  if (way === 'dynamic') dynamicProduct(graph, a, weight, n, k, { outputs });
  else if (way === 'integer') integerProduct(graph, roundedOf(graph, a), weight, n, k, { outputs });
  else return undefined;
  return graph.bytes();
}
