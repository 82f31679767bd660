/** Models with matrices in float16 or int8. */
import { describe, expect, test } from '@jest/globals';
import { openModel, type Model, type WeightType } from 'wasm-attention/models';
import { int8 } from '../../reference/weightTypes.js';
import { attention } from '../../support/library.js';
import { Random } from '../../support/random.js';
import { checkpoint, checkpoints, open, stories } from '../fixtures.js';
import { float16, halved, safetensors } from '../halves.js';
import { readSafetensors, writeSafetensors } from 'wasm-attention';

const expected = stories.expected as unknown as {
  readonly tokens_in: number[];
  readonly tokens_out: number[];
};

async function written(model: Model, count: number): Promise<number[]> {
  const tokens = [];
  for await (const id of model.generate([1], { maxTokens: count })) tokens.push(id);
  return tokens;
}

/** The perplexity of the expected tokens. */
function perplexity(model: Model): number {
  const ids = [1, ...expected.tokens_out].slice(0, 256);
  const { data } = model.forward(ids.slice(0, -1)).logits!;
  let sum = 0;
  for (let i = 1; i < ids.length; ++i) {
    const row = data.subarray(512 * (i - 1), 512 * i);
    const most = Math.max(...row);
    sum += Math.log(row.reduce((total, x) => total + Math.exp(x - most), 0)) + most - row[ids[i]!]!;
  }
  return Math.exp(sum / (ids.length - 1));
}

describe('stories260K', () => {
  test('generates all 200 tokens at float16 in half of the memory', async () => {
    const [plain, small] = [await open(stories), await open(stories, { weightType: 'float16' })];
    expect(await written(small, 200)).toEqual(expected.tokens_out.slice(0, 200));
    expect(small.parameterBytes).toBeLessThan(0.51 * plain.parameterBytes);
    plain.dispose();
    small.dispose();
  });

  test('generates the first 40 tokens at int8 in 0.30 of the memory, at hardly more perplexity', async () => {
    const [plain, small] = [await open(stories), await open(stories, { weightType: 'int8' })];
    expect(await written(small, 40)).toEqual(expected.tokens_out.slice(0, 40));
    expect(perplexity(small) / perplexity(plain)).toBeLessThan(1.01);
    expect(small.parameterBytes).toBeLessThan(0.3 * plain.parameterBytes);
    plain.dispose();
    small.dispose();
  });
});

test.each(checkpoints)('%s at float16 gives the same bits as float32 with rounded matrices', async (name) => {
  const { config, bytes, expected, architecture } = checkpoint(name);
  const tensors = readSafetensors(bytes);
  // Tables of positions and types, norms and biases remain float32.
  const { positions, types } = architecture.names;
  const isTable = (key: string) => [positions, types].some((table) => table && key.endsWith(`${table}.weight`));
  const isKept = (key: string, rank: number): boolean => rank !== 2 || isTable(key);
  const rounded = Object.fromEntries(
    Object.entries(tensors).map(([key, { data, shape }]) => [
      key,
      { data: isKept(key, shape.length) ? data : float16('F16', data), shape },
    ]),
  );
  // Truncated first, so that every number is a float16.
  const small = await openModel({ config, weights: rounded, attention, weightType: 'float16' });
  const plain = await openModel({ config, weights: rounded, attention });
  const ids = expected.ids;
  const [a, b] = [small.forward(ids), plain.forward(ids)];
  expect(a.hidden).toEqual(b.hidden);
  expect(a.logits).toEqual(b.logits);
  small.dispose();
  plain.dispose();
});

test('an F16 file gives the same bits at float16 as at float32', async () => {
  const tensors = readSafetensors(stories.bytes);
  const file = safetensors(
    Object.fromEntries(
      Object.entries(tensors).map(([name, { data, shape }]) => [
        name,
        { dtype: 'F16', shape, data: halved('F16', data) },
      ]),
    ),
  );
  const of = (weightType?: WeightType) => openModel({ config: stories.config, weights: file, attention, weightType });
  const [a, b] = [await of('float16'), await of()];
  const ids = expected.tokens_in.slice(0, 20);
  expect(a.forward(ids).logits).toEqual(b.forward(ids).logits);
  a.dispose();
  b.dispose();
});

test.each([undefined, 'int8'] as const)(
  'a file of int8, a quarter of the bytes, opened at %s writes the first 40 tokens',
  async (weightType) => {
    const file = writeSafetensors(readSafetensors(stories.bytes), { weightType: 'int8' });
    expect(file.length / stories.bytes.byteLength).toBeLessThan(0.3);
    const [small, plain] = [
      await openModel({ config: stories.config, weights: file, attention, weightType }),
      await open(stories),
    ];
    expect(small.unused).toEqual([]);
    expect(await written(small, 40)).toEqual(expected.tokens_out.slice(0, 40));
    expect(perplexity(small) / perplexity(plain)).toBeLessThan(1.01);
    small.dispose();
    plain.dispose();
  },
);

test('an encoder of width 768 at int8 points in the same direction as at float32', async () => {
  const [width, hiddens, vocabulary] = [768, 3072, 100];
  const random = new Random(3);
  const tensors: Record<string, { data: Float32Array; shape: number[] }> = {};
  const add = (name: string, ...shape: number[]): void => {
    const { data } = random.tensor(shape, 0.02); // as models are initialised
    tensors[name] = { data: name.endsWith('Norm.weight') ? data.map((x) => 1 + x) : data, shape };
  };
  const norm = (name: string): void => {
    add(`${name}.weight`, width);
    add(`${name}.bias`, width);
  };
  const linear = (name: string, rows: number, columns: number): void => {
    add(`${name}.weight`, rows, columns);
    add(`${name}.bias`, rows);
  };
  add('embeddings.word_embeddings.weight', vocabulary, width);
  add('embeddings.position_embeddings.weight', 64, width);
  add('embeddings.token_type_embeddings.weight', 2, width);
  norm('embeddings.LayerNorm');
  for (const i of [0, 1]) {
    for (const part of ['query', 'key', 'value']) linear(`encoder.layer.${i}.attention.self.${part}`, width, width);
    linear(`encoder.layer.${i}.attention.output.dense`, width, width);
    norm(`encoder.layer.${i}.attention.output.LayerNorm`);
    linear(`encoder.layer.${i}.intermediate.dense`, hiddens, width);
    linear(`encoder.layer.${i}.output.dense`, width, hiddens);
    norm(`encoder.layer.${i}.output.LayerNorm`);
  }
  const config = {
    model_type: 'bert',
    vocab_size: vocabulary,
    hidden_size: width,
    num_hidden_layers: 2,
    num_attention_heads: 12,
    intermediate_size: hiddens,
    max_position_embeddings: 64,
    type_vocab_size: 2,
    hidden_act: 'gelu',
    layer_norm_eps: 1e-12,
  };
  const hidden = async (weightType?: WeightType) => {
    const model = await openModel({ config, weights: tensors, attention, weightType });
    const { data } = model.forward(Array.from({ length: 32 }, (_, i) => (37 * i) % vocabulary)).hidden;
    model.dispose();
    return data;
  };
  const [a, b] = [await hidden('int8'), await hidden()];
  for (let i = 0; i < 32; ++i) {
    const [x, y] = [a, b].map((data) => data.subarray(width * i, width * (i + 1))) as [Float32Array, Float32Array];
    const dot = x.reduce((sum, value, k) => sum + value * y[k]!, 0);
    expect(dot / (Math.hypot(...x) * Math.hypot(...y))).toBeGreaterThan(0.999);
  }
});

test('int8 looks up the rounded rows of an embedding', async () => {
  // A tied one: a table alone is rounded finer.
  const { config, bytes } = checkpoint('bert-padded');
  const tensors = readSafetensors(bytes);
  const name = Object.keys(tensors).find((key) => key.endsWith('word_embeddings.weight'))!;
  const rounded = { ...tensors, [name]: int8(tensors[name]!) };
  const embedded = async (weights: typeof tensors, weightType?: WeightType) => {
    const model = await openModel({ config, weights, attention, weightType });
    let found: Float32Array | undefined;
    model.forward([3, 1, 4], { hooks: { hook_embed: ({ data }) => void (found = data) } });
    model.dispose();
    return found;
  };
  expect(await embedded(tensors, 'int8')).toEqual(await embedded(rounded));
});

test('other types are refused before anything is allocated', async () => {
  const wrong = {
    config: stories.config,
    weights: stories.bytes,
    attention,
    weightType: 'int4' as WeightType,
  };
  const expected = 'openModel: expected weightType to be one of float32, float16, int8, int8-fine, got int4';
  await expect(openModel(wrong)).rejects.toThrow(new RangeError(expected));
});
