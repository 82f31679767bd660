import { sizeOf, zeros, type Numbers, type Reference } from './tensor.js';

/** x·weightᵀ + bias over the last axis: x (…, in), weight (out, in), bias (out). */
export function linear(x: Numbers, weight: Numbers, bias?: Numbers): Reference {
  const leading = x.shape.slice(0, -1);
  const rows = sizeOf(leading);
  const [outputs, inputs] = weight.shape as [number, number];
  const y = zeros(...leading, outputs);
  for (let r = 0; r < rows; ++r) {
    for (let o = 0; o < outputs; ++o) {
      let sum = bias ? bias.data[o]! : 0;
      for (let i = 0; i < inputs; ++i) sum += x.data[r * inputs + i]! * weight.data[o * inputs + i]!;
      y.data[r * outputs + o] = sum;
    }
  }
  return y;
}

/** The gradients of sum(linear(x, weight, bias)·G). */
export function linearBackward(G: Numbers, x: Numbers, weight: Numbers) {
  const [rows, inputs] = x.shape as [number, number];
  const outputs = weight.shape[0]!;
  const gradients = { x: zeros(rows, inputs), weight: zeros(outputs, inputs), bias: zeros(outputs) };
  for (let r = 0; r < rows; ++r) {
    for (let o = 0; o < outputs; ++o) {
      const g = G.data[r * outputs + o]!;
      gradients.bias.data[o]! += g;
      for (let i = 0; i < inputs; ++i) {
        gradients.x.data[r * inputs + i]! += g * weight.data[o * inputs + i]!;
        gradients.weight.data[o * inputs + i]! += g * x.data[r * inputs + i]!;
      }
    }
  }
  return gradients;
}
