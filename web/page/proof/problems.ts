/** The inputs of the benchmark, random numbers that are the same on every machine, and the comparison of its results. */
import { normal, type Tensors } from './peers.js';
import { ENCODER, HEAD_WIDTH, HEADS, SIZE, TOKENS } from './results.js';

const VOCABULARY = 1000;

/** Query, key and value. */
export function attentionInputs(): readonly [Float32Array, Float32Array, Float32Array] {
  const of = (seed: number): Float32Array => normal(HEADS * TOKENS * HEAD_WIDTH, seed);
  return [of(11), of(12), of(13)];
}

export function productInputs(): { readonly a: Float32Array; readonly b: Float32Array } {
  return { a: normal(SIZE * SIZE, 1), b: normal(SIZE * SIZE, 2) };
}

/** A BERT as it begins its training, with a small vocabulary, because looking words up takes no time. */
export function encoderModel(): { readonly config: object; readonly tensors: Tensors; readonly ids: number[] } {
  const { layers, width, heads, hiddens, tokens } = ENCODER;
  const tensors: Record<string, Tensors[string]> = {};
  const add = (name: string, shape: readonly number[]): void => {
    const size = shape.reduce((a, b) => a * b, 1);
    const data = normal(size, 100 + Object.keys(tensors).length, 0.02);
    tensors[name] = { data: name.endsWith('Norm.weight') ? data.map((x) => 1 + x) : data, shape };
  };
  const map = (name: string, outputs: number, inputs: number): void => {
    add(`${name}.weight`, [outputs, inputs]);
    add(`${name}.bias`, [outputs]);
  };
  const norm = (name: string): void => ['weight', 'bias'].forEach((part) => add(`${name}.${part}`, [width]));
  add('embeddings.word_embeddings.weight', [VOCABULARY, width]);
  add('embeddings.position_embeddings.weight', [tokens, width]);
  add('embeddings.token_type_embeddings.weight', [2, width]);
  norm('embeddings.LayerNorm');
  for (let layer = 0; layer < layers; ++layer) {
    const at = `encoder.layer.${layer}`;
    for (const name of ['query', 'key', 'value']) map(`${at}.attention.self.${name}`, width, width);
    map(`${at}.attention.output.dense`, width, width);
    norm(`${at}.attention.output.LayerNorm`);
    map(`${at}.intermediate.dense`, hiddens, width);
    map(`${at}.output.dense`, width, hiddens);
    norm(`${at}.output.LayerNorm`);
  }
  return {
    config: {
      model_type: 'bert',
      vocab_size: VOCABULARY,
      hidden_size: width,
      num_hidden_layers: layers,
      num_attention_heads: heads,
      intermediate_size: hiddens,
      max_position_embeddings: tokens,
      type_vocab_size: 2,
      hidden_act: 'gelu',
      layer_norm_eps: 1e-12,
    },
    tensors,
    ids: Array.from({ length: tokens }, (_, i) => (37 * i) % VOCABULARY),
  };
}

/** The cosine between two results: 1 if they agree. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [dot, x, y] = [0, 0, 0];
  for (let i = 0; i < Math.max(a.length, b.length); ++i) {
    dot += a[i]! * b[i]!;
    x += a[i]! * a[i]!;
    y += b[i]! * b[i]!;
  }
  return dot / Math.sqrt(x * y);
}
