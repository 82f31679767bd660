/** ONNX graphs of the works that need only one graph. */
import { Graph, shapeOf } from './onnx-model.mjs';

/** 0 where a query may attend to a key, -Infinity elsewhere. */
export function bias(rows, cols, valid) {
  const out = new Float32Array(rows * cols);
  for (let i = 0; i < rows; i++) out.fill(-Infinity, i * cols + valid(i), (i + 1) * cols);
  return out;
}

export function table({ length, width }) {
  const graph = new Graph();
  const positions = graph.input('positions', [length]);
  graph.output('table', [length, width]);
  const frequency = Float32Array.from({ length: width / 2 }, (_, j) => Math.pow(10000, (-2 * j) / width));
  const angle = graph.add('Mul', [
    graph.reshape(positions, [length, 1, 1]),
    graph.constant(frequency, [1, width / 2, 1]),
  ]);
  const both = graph.add('Concat', [graph.add('Sin', [angle]), graph.add('Cos', [angle])], { axis: 2 });
  graph.add('Reshape', [both, shapeOf(graph, [length, width])], {}, { outputs: ['table'] });
  return graph.bytes();
}

export function addTable({ batch, length, width }, p) {
  const graph = new Graph();
  const x = graph.input('x', [batch, length, width]);
  graph.output('sum', [batch, length, width]);
  graph.add('Add', [x, graph.constant(p, [length, width])], {}, { outputs: ['sum'] });
  return graph.bytes();
}

export function softmax({ rows, cols }, lengths) {
  const graph = new Graph();
  const x = graph.input('x', [rows, cols]);
  graph.output('y', [rows, cols]);
  const scores = lengths
    ? graph.add('Add', [
        x,
        graph.constant(
          bias(rows, cols, (i) => lengths[i]),
          [rows, cols],
        ),
      ])
    : x;
  graph.add('Softmax', [scores], { axis: -1 }, { outputs: ['y'] });
  return graph.bytes();
}

export function matmul({ m, k, n }) {
  const graph = new Graph();
  const a = graph.input('a', [m, k]);
  const b = graph.input('b', [k, n]);
  graph.output('c', [m, n]);
  graph.add('MatMul', [a, b], {}, { outputs: ['c'] });
  return graph.bytes();
}
