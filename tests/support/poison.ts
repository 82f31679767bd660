import {
  scaledDotProductAttention as reference,
  type AttentionReferenceOptions,
} from '../reference/scaledDotProductAttention.js';
import { sizeOf, type Numbers } from '../reference/tensor.js';
import type { Poison } from './attentionArbitrary.js';
import { expectAttention } from './attentionTolerance.js';
import type { RandomTensor } from './random.js';

/** A copy in which these rows, counted over all leading axes, are filled with a value. */
export function poisonRows({ data, shape }: RandomTensor, rows: readonly number[], value: number): RandomTensor {
  const width = shape.at(-1)!;
  const copy = data.slice();
  for (const row of rows) copy.fill(value, row * width, (row + 1) * width);
  return { data: copy, shape };
}

/** A copy of x (B, …, n, d) in which the rows beyond each sequence's valid length are filled with a value. */
export function poisonPadding(x: RandomTensor, validLens: readonly number[], value: number): RandomTensor {
  const n = x.shape.at(-2)!;
  const rows = sizeOf(x.shape.slice(0, -1));
  const sequenceOf = (row: number) => Math.floor(row / (rows / x.shape[0]!));
  const padding = Array.from({ length: rows }, (_, row) => row).filter((row) => row % n >= validLens[sequenceOf(row)]!);
  return poisonRows(x, padding, value);
}

interface Call {
  readonly query: RandomTensor;
  readonly key: RandomTensor;
  readonly value: RandomTensor;
  readonly options: AttentionReferenceOptions;
}

type Attention = (
  query: RandomTensor,
  key: RandomTensor,
  value: RandomTensor,
  options: AttentionReferenceOptions & { needWeights: boolean },
) => { output: Numbers; weights?: Numbers };

/**
 * Fills one row of keys and values with a value, a new row and not a past one. Throws unless every query that may not
 * attend to the row gets the same result as before. Other queries are not compared.
 */
export function expectPoisonContained(attention: Attention, call: Call, poison: Poison): void {
  const { query, key, value, options } = call;
  const expected = reference(query, key, value, options);
  const S = key.shape.at(-2)!;
  const past = options.pastKey ? options.pastKey.shape.at(-2)! : 0;
  const kvHeads = sizeOf(key.shape.slice(0, -2));
  const heads = sizeOf(query.shape.slice(0, -2));
  const head = Math.floor(poison.head * kvHeads);
  const row = Math.floor(poison.key * S);
  const poisoned = (x: RandomTensor) => poisonRows(x, [head * S + row], poison.value);
  const result = attention(query, poisoned(key), poisoned(value), { ...options, needWeights: true });

  const output = Float64Array.from(result.output.data);
  const weights = Float64Array.from(result.weights!.data);
  const [L, Ev] = expected.output.shape.slice(-2) as [number, number];
  const keys = past + S;
  const group = heads / kvHeads;
  for (let i = head * group * L; i < (head + 1) * group * L; ++i) {
    if (expected.masked.data[i * keys + past + row] === -Infinity) continue;
    output.set(expected.output.data.subarray(i * Ev, (i + 1) * Ev), i * Ev);
    weights.set(expected.weights.data.subarray(i * keys, (i + 1) * keys), i * keys);
  }
  expectAttention(
    {
      output: { data: output, shape: result.output.shape },
      weights: { data: weights, shape: result.weights!.shape },
    },
    { output: expected.output, weights: expected.weights, masked: expected.masked },
    value,
  );
}
