import type { Draw } from './draw.js';

/** The index of the arguments' options with `out`. */
const OPTIONS_WITH_OUT: Readonly<Record<string, number>> = {
  scaledDotProductAttention: 3,
  Linear: 2,
  LayerNorm: 2,
  RMSNorm: 2,
  FeedForward: 2,
  GatedFeedForward: 2,
  PositionalEncoding: 2,
  LearnedPositionalEncoding: 2,
  TransformerEncoderLayer: 2,
  TransformerDecoderLayer: 3,
  MultiHeadAttention: 4,
};

/** The arguments of a call whose output is written over one of them; undefined if none has its length. */
export function writtenOver(
  draw: Draw,
  name: string,
  given: readonly unknown[],
  result: unknown,
): unknown[] | undefined {
  const at = OPTIONS_WITH_OUT[name];
  if (at === undefined) return undefined;
  const arrays: Float32Array[] = [];
  // After the options comes the output's gradient, which is read after the output was written.
  const args = given.map((arg, i) => copyOf(arg, i > at ? [] : arrays));
  const { length } = (result as { output: { data: Float32Array } }).output.data;
  const candidates = arrays.filter((data) => data.length === length);
  if (candidates.length === 0) return undefined;
  const options = args[at] as { out?: object } | undefined;
  args[at] = { ...options, out: { ...options?.out, output: draw.pick(candidates) } };
  return args;
}

/** A copy of a value; `arrays` receives its Float32Arrays. */
function copyOf(value: unknown, arrays: Float32Array[]): unknown {
  if (value instanceof Float32Array) {
    arrays.push(value.slice());
    return arrays.at(-1);
  }
  if (Array.isArray(value)) return value.map((item) => copyOf(item, arrays));
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyOf(item, arrays)]));
}
