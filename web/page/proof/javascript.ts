/** Attention and an encoder in plain JavaScript over typed arrays. */
import { product, transpose, type Tensors } from './peers.js';

function softmaxRow(x: Float32Array, at: number, count: number): void {
  let largest = -Infinity;
  for (let j = at; j < at + count; ++j) if (x[j]! > largest) largest = x[j]!;
  let sum = 0;
  for (let j = at; j < at + count; ++j) sum += x[j] = Math.exp(x[j]! - largest);
  for (let j = at; j < at + count; ++j) x[j]! /= sum;
}

/** softmax(q·kᵀ/√d)·v of one head. */
export function head(q: Float32Array, k: Float32Array, v: Float32Array, n: number, d: number): Float32Array {
  const scores = product(
    q.map((x) => x / Math.sqrt(d)),
    transpose(k, n, d),
    n,
    d,
    n,
  );
  for (let i = 0; i < n; ++i) softmaxRow(scores, i * n, n);
  return product(scores, v, n, n, d);
}

/** Abramowitz and Stegun, 7.1.26. */
function erf(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const sum = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  return Math.sign(x) * (1 - sum * Math.exp(-x * x));
}

/** BERT; maps are transposed once. */
export function encoder(
  {
    layers,
    width,
    heads,
    hiddens,
    tokens,
  }: Readonly<Record<'layers' | 'width' | 'heads' | 'hiddens' | 'tokens', number>>,
  tensors: Tensors,
  ids: readonly number[],
): () => Float32Array {
  const of = (name: string): Float32Array => tensors[name]!.data;
  const map = (name: string, inputs: number, outputs: number) => {
    const [weight, bias] = [transpose(of(`${name}.weight`), outputs, inputs), of(`${name}.bias`)];
    return (x: Float32Array): Float32Array => {
      const y = product(x, weight, tokens, inputs, outputs);
      for (let i = 0; i < y.length; ++i) y[i]! += bias[i % outputs]!;
      return y;
    };
  };
  const norm = (name: string) => {
    const [weight, bias] = [of(`${name}.weight`), of(`${name}.bias`)];
    /** Of x + y, in place of x. */
    return (x: Float32Array, y?: Float32Array): Float32Array => {
      for (let row = 0; row < x.length; row += width) {
        let [sum, squares] = [0, 0];
        for (let i = row; i < row + width; ++i) {
          if (y) x[i]! += y[i]!;
          sum += x[i]!;
          squares += x[i]! * x[i]!;
        }
        const mean = sum / width;
        const scale = 1 / Math.sqrt(squares / width - mean * mean + 1e-12);
        for (let i = 0; i < width; ++i) x[row + i] = (x[row + i]! - mean) * scale * weight[i]! + bias[i]!;
      }
      return x;
    };
  };
  const first = norm('embeddings.LayerNorm');
  const blocks = Array.from({ length: layers }, (_, layer) => {
    const at = `encoder.layer.${layer}`;
    return {
      maps: ['query', 'key', 'value'].map((name) => map(`${at}.attention.self.${name}`, width, width)),
      output: map(`${at}.attention.output.dense`, width, width),
      norm1: norm(`${at}.attention.output.LayerNorm`),
      up: map(`${at}.intermediate.dense`, width, hiddens),
      down: map(`${at}.output.dense`, hiddens, width),
      norm2: norm(`${at}.output.LayerNorm`),
    };
  });
  const d = width / heads;
  const columns = (x: Float32Array, from: number): Float32Array => {
    const out = new Float32Array(tokens * d);
    for (let i = 0; i < tokens; ++i) out.set(x.subarray(i * width + from, i * width + from + d), i * d);
    return out;
  };
  const [words, positions, types] = ['word', 'position', 'token_type'].map((name) =>
    of(`embeddings.${name}_embeddings.weight`),
  ) as [Float32Array, Float32Array, Float32Array];

  return () => {
    const embedded = Float32Array.from(
      { length: tokens * width },
      (_, i) => words[ids[Math.floor(i / width)]! * width + (i % width)]! + positions[i]! + types[i % width]!,
    );
    let x = first(embedded);
    for (const { maps, output, norm1, up, down, norm2 } of blocks) {
      const [q, k, v] = maps.map((each) => each(x)) as [Float32Array, Float32Array, Float32Array];
      const mixed = new Float32Array(tokens * width);
      for (let from = 0; from < width; from += d) {
        const out = head(columns(q, from), columns(k, from), columns(v, from), tokens, d);
        for (let i = 0; i < tokens; ++i) mixed.set(out.subarray(i * d, (i + 1) * d), i * width + from);
      }
      x = norm1(x, output(mixed));
      x = norm2(x, down(up(x).map((each) => (each / 2) * (1 + erf(each * Math.SQRT1_2)))));
    }
    return x;
  };
}
