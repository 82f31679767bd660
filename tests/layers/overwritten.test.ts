/** Results written over arguments are the same as results written elsewhere. */
import { describe, expect, test } from '@jest/globals';
import type { AttentionOptions, LayerForwardOptions, Tensor } from 'wasm-attention';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';
import { same } from '../support/same.js';
import { trained } from '../support/trained.js';

const random = new Random(11);
const [batch, length, width] = [2, 4, 8];
const x = random.tensor([batch, length, width]);
const g = random.tensor([batch, length, width]);
const copyOf = ({ data, shape }: Tensor): Tensor => ({ data: data.slice(), shape: [...shape] });

const sizes = { numHiddens: width, numHeads: 2, seed: 1 };
const multiHead = () => new attention.MultiHeadAttention({ ...sizes, bias: true });
const encoder = () => new attention.TransformerEncoderLayer({ ...sizes, ffnHiddens: 12 });

describe('an array for a result', () => {
  const mask = { data: Uint8Array.from({ length: length ** 2 }, (_, i) => Number(i % 3 > 0)), shape: [4, 4] };

  test('may be the input of a layer in training, without changing its gradients', () => {
    const fresh = multiHead();
    const expected = trained(fresh, g, () => fresh.forward(x, x, x, { training: true }));
    const layer = multiHead();
    const input = copyOf(x);
    const given = trained(layer, g, () =>
      layer.forward(input, input, input, { training: true, out: { output: input.data } }),
    );
    expect(same(given, expected)).toBe(true);
  });

  /** Each option that is an array, in the memory that the output or the weights are written to. */
  const options: Record<string, { out: 'output' | 'weights'; shape: number[] }> = {
    'a bias, with the output': { out: 'output', shape: [1, 2, 4, 4] },
    'a bias, with the weights': { out: 'weights', shape: [2, 2, 4, 4] },
    'relative keys, with the weights': { out: 'weights', shape: [7, 4] },
    'relative values, with the output': { out: 'output', shape: [7, 4] },
    'slopes, with the output': { out: 'output', shape: [2] },
    'sinks, with the output': { out: 'output', shape: [2] },
  };
  const nameOf = (title: string) =>
    title.startsWith('a bias')
      ? 'bias'
      : title.startsWith('slopes')
        ? 'alibiSlopes'
        : title.startsWith('sinks')
          ? 'sinks'
          : title.includes('keys')
            ? 'relativeKeys'
            : 'relativeValues';
  test.each(Object.keys(options))('may be that of %s', (title) => {
    const { out, shape } = options[title]!;
    const size = out === 'output' ? batch * length * width : batch * 2 * length * length;
    for (const makeLayer of [multiHead, encoder]) {
      const run = (shared: boolean): unknown => {
        const layer = makeLayer();
        const memory = new Random(5).tensor([size]).data;
        const count = shape.reduce((product, axis) => product * axis);
        const own = shared ? memory : memory.slice();
        const given: LayerForwardOptions = {
          training: true,
          needWeights: true,
          mask,
          out: { [out]: memory },
          [nameOf(title)]: { data: own.subarray(0, count), shape },
        };
        return trained(layer, g, () =>
          layer instanceof attention.MultiHeadAttention ? layer.forward(x, x, x, given) : layer.forward(x, given),
        );
      };
      expect(same(run(true), run(false))).toBe(true);
    }
  });

  test('may be any argument of attention', () => {
    // Large enough for threads to copy rows while others compute.
    const shape = [1, 2, 64, 64];
    const tensors = { query: random.tensor(shape), key: random.tensor(shape), value: random.tensor(shape) };
    const bias = random.tensor([1, 2, 64, 64]);
    const past = { pastKey: random.tensor(shape), pastValue: random.tensor(shape) };
    const call = (given: typeof tensors & { bias: Tensor } & typeof past, options: AttentionOptions) => {
      const { query, key, value, bias, ...rest } = given;
      return attention.scaledDotProductAttention(query, key, value, { bias, ...rest, ...options });
    };
    const all = { ...tensors, bias, ...past };
    const expected = call(all, { needLogSumExp: true });
    for (const name of Object.keys(all) as (keyof typeof all)[]) {
      const given = { ...all, [name]: copyOf(all[name]) };
      const output = given[name].data;
      const result = call(given, { needLogSumExp: true, out: { output } });
      expect(result.output.data).toBe(output);
      expect(same(result, expected)).toBe(true);
    }
    const alone = attention.scaledDotProductAttention(tensors.query, tensors.key, tensors.value);
    for (const name of ['query', 'key', 'value'] as const) {
      const given = { ...tensors, [name]: copyOf(tensors[name]) };
      const { query, key, value } = given;
      const { output } = attention.scaledDotProductAttention(query, key, value, { out: { output: given[name].data } });
      expect(same(output, alone.output)).toBe(true);
    }
  });

  test('may overlap an argument', () => {
    // Threads copy inputs and results while they compute, so this must not depend on their order.
    const shape = [1, 8, 128, 64];
    const size = 8 * 128 * 64;
    const layer = new attention.Linear({ inFeatures: 64, outFeatures: 64, seed: 1 });
    const [query, key] = [random.tensor(shape), random.tensor(shape)];
    const expected = attention.scaledDotProductAttention(query, key, key).output;
    const product = layer.forward(query).output;
    for (const shift of [64 * 128, -64 * 128, 5]) {
      const overlapping = (tensor: Tensor): [Tensor, Float32Array] => {
        const memory = new Float32Array(3 * size);
        memory.set(tensor.data, size);
        const output = memory.subarray(size + shift, 2 * size + shift);
        return [{ data: memory.subarray(size, 2 * size), shape }, output];
      };
      const [q, overQuery] = overlapping(query);
      expect(
        same(attention.scaledDotProductAttention(q, key, key, { out: { output: overQuery } }).output, expected),
      ).toBe(true);
      const [k, overKey] = overlapping(key);
      expect(
        same(attention.scaledDotProductAttention(query, k, k, { out: { output: overKey } }).output, expected),
      ).toBe(true);
      const [x, overInput] = overlapping(query);
      expect(same(layer.forward(x, { out: { output: overInput } }).output, product)).toBe(true);
    }
  });

  test('may overlap an input that is computed in pieces', () => {
    const [rows, width] = [400, 512];
    const memory = random.tensor([2 * rows, width]).data;
    const x = { data: memory.subarray(0, rows * width), shape: [rows, width] };
    const layer = new attention.PositionalEncoding({ numHiddens: width, maxLen: rows });
    const expected = layer.forward(x).output;
    expect(same(layer.forward(x, { out: { output: memory.subarray(5, 5 + rows * width) } }).output, expected)).toBe(
      true,
    );
  });

  test('may be the positions of an encoding', () => {
    const positions = random.tensor([8]).data;
    const expected = attention.sinusoidalEncoding({ dim: 1, positions });
    const out = positions.slice();
    expect(same(attention.sinusoidalEncoding({ dim: 1, positions: out, out }), expected)).toBe(true);
  });
});
