/** What metadata says becomes the config that transformers would have. */
import { describe, expect, test } from '@jest/globals';
import { writeSafetensors } from 'wasm-attention';
import { openModel, type OpenModelOptions } from 'wasm-attention/models';
import { attention } from '../../fuzz/watched.js';
import { modelOf, PUBLISHED } from './published.js';
import { hiddenOf, resultOf } from './results.js';
import { writeGguf, type FileTensor, type Keys } from './writer.js';

const vector = (name: string, values: readonly number[]): FileTensor => ({
  name,
  shape: [values.length],
  type: 0,
  bytes: new Uint8Array(Float32Array.from(values).buffer),
});

/** The results of a file with more keys and tensors, and of a config with more fields. */
async function both(architecture: string, keys: Keys, fields: object, more: readonly FileTensor[] = []) {
  const { keys: own, config } = PUBLISHED[architecture]!;
  const { tensors, expected } = modelOf(architecture, 'F16');
  const got = await resultOf({ weights: writeGguf({ ...own, ...keys }, [...tensors, ...more]) });
  const plain = await resultOf({ weights: writeGguf(own, tensors) });
  const weights = new Uint8Array(writeSafetensors(expected));
  const wanted = await resultOf({ config: { ...config, ...fields }, weights });
  return { got, wanted, plain };
}

const short = Array.from({ length: 24 }, (_, i) => 1 + i / 8);
const long = short.map((x) => 2 * x);

describe('gives the bits of the config', () => {
  test.each<[string, string, Keys, object, FileTensor[]?]>([
    [
      'linear scaling',
      'llama',
      { 'llama.rope.scaling.type': ['string', 'linear'], 'llama.rope.scaling.factor': ['f32', 4] },
      { rope_scaling: { rope_type: 'linear', factor: 4 } },
    ],
    [
      'linear scaling in its older form',
      'llama',
      { 'llama.rope.scale_linear': ['f32', 4] },
      { rope_scaling: { rope_type: 'linear', factor: 4 } },
    ],
    [
      'YaRN',
      'qwen2',
      {
        'qwen2.rope.scaling.type': ['string', 'yarn'],
        'qwen2.rope.scaling.factor': ['f32', 4],
        'qwen2.rope.scaling.original_context_length': ['u32', 16],
      },
      { rope_scaling: { rope_type: 'yarn', factor: 4, original_max_position_embeddings: 16 } },
    ],
    [
      'divisors of frequencies, also where a text is long',
      'phi3',
      { 'phi3.rope.scaling.original_context_length': ['u32', 6], 'phi3.rope.scaling.attn_factor': ['f32', 1.25] },
      {
        original_max_position_embeddings: 6,
        rope_scaling: { rope_type: 'longrope', short_factor: short, long_factor: long, attention_factor: 1.25 },
      },
      [vector('rope_factors_short.weight', short), vector('rope_factors_long.weight', long)],
    ],
    ['no window', 'phi3', { 'phi3.attention.sliding_window': ['u32', 0] }, { sliding_window: null }],
    [
      'windows by number',
      'gemma3',
      { 'gemma3.attention.sliding_window_pattern': ['u32', 1] },
      { sliding_window_pattern: 1 },
    ],
    [
      'windows by layer',
      'gemma3',
      { 'gemma3.attention.sliding_window_pattern': ['list', 'bool', [0]] },
      { layer_types: ['full_attention'] },
    ],
    ['a base', 'smollm3', { 'smollm3.rope.freq_base': ['f32', 12345] }, { rope_theta: 12345 }],
  ])('%s', async (_, architecture, keys, fields, more = []) => {
    const { got, wanted, plain } = await both(architecture, keys, fields, more);
    expect(got).toEqual(wanted);
    expect(got.hidden).not.toEqual(plain.hidden);
  });

  test('windows in all layers, which a list of one kind of value says', async () => {
    const { got, plain } = await both(
      'gemma3',
      { 'gemma3.attention.sliding_window_pattern': ['list', 'bool', [1]] },
      {},
    );
    expect(got).toEqual(plain);
  });
});

test("Llama 3's scaling, which is in the file as divisors", async () => {
  const scaling = { factor: 8, low_freq_factor: 1, high_freq_factor: 4, original_max_position_embeddings: 4 };
  const divisors = Array.from({ length: 32 }, (_, i) => {
    const turns = (4 * 10000 ** (-i / 32)) / (2 * Math.PI);
    const kept = Math.min(Math.max((turns - 1) / 3, 0), 1);
    return 1 / ((1 - kept) / 8 + kept);
  });
  const { keys, config } = PUBLISHED.llama!;
  const { tensors, expected } = modelOf('llama', 'F16');
  const weights = writeGguf(keys, [...tensors, vector('rope_freqs.weight', divisors)]);
  expect((await resultOf({ weights })).unused).toEqual([]);
  const got = await hiddenOf({ weights });
  const away = async (options: OpenModelOptions): Promise<number> => {
    const other = await hiddenOf(options);
    return Math.max(...got.map((x, i) => Math.abs(x - other[i]!)));
  };
  const rope_scaling = { rope_type: 'llama3', ...scaling };
  const least = await away({
    config: { ...config, rope_scaling },
    weights: new Uint8Array(writeSafetensors(expected)),
  });
  // The divisors are rounded to float32.
  expect(least).toBeLessThan(1e-5);
  expect(await away({ weights: writeGguf(keys, tensors) })).toBeGreaterThan(10 * least);
});

test('an output map that is a copy of the embedding is stored once', async () => {
  const { keys } = PUBLISHED.gpt2!;
  const { tensors } = modelOf('gpt2', 'Q8_0');
  const copy = { ...tensors[0]!, name: 'output.weight' };
  const expected = await resultOf({ weights: writeGguf(keys, tensors) });
  expect(await resultOf({ weights: writeGguf(keys, [...tensors, copy]) })).toEqual(expected);
  const bytes = copy.bytes.slice();
  bytes[2]! ^= 1;
  const other = await resultOf({ weights: writeGguf(keys, [...tensors, { ...copy, bytes }]) });
  expect(other.parameterBytes).toBeGreaterThan(expected.parameterBytes);
  expect(other.logits).not.toEqual(expected.logits);
});

test('end tokens, which generationConfig replaces', async () => {
  const { keys } = PUBLISHED.llama!;
  const { tensors } = modelOf('llama', 'F32');
  const write = (more: Keys) => writeGguf({ ...keys, ...more }, tensors);
  const count = async (weights: Uint8Array, generationConfig?: unknown): Promise<number> => {
    const model = await openModel({ weights, attention, generationConfig });
    let tokens = 0;
    for await (const _ of model.generate([1, 2], { maxTokens: 5 })) tokens += 1;
    model.dispose();
    return tokens;
  };
  const model = await openModel({ weights: write({}), attention });
  let first = -1;
  for await (const id of model.generate([1, 2], { maxTokens: 1 })) first = id;
  model.dispose();
  expect(await count(write({}))).toBe(5);
  const ended = write({ 'tokenizer.ggml.eos_token_id': ['u32', first] });
  expect(await count(ended)).toBe(1);
  for (const end of ['eot', 'eom']) {
    const turns = write({
      'tokenizer.ggml.eos_token_id': ['u32', 47],
      [`tokenizer.ggml.${end}_token_id`]: ['u32', first],
    });
    expect(await count(turns)).toBe(1);
  }
  expect(await count(ended, { eos_token_id: 47 })).not.toBe(1);
});

test.each([
  [0, 'mean'],
  [1, 'mean'],
  [2, 'cls'],
  [3, 'last'],
  [4, 'mean'],
] as const)('pooling of type %i is %s', async (type, pooling) => {
  const { keys } = PUBLISHED.bert!;
  const { tensors } = modelOf('bert', 'F32');
  const weights = writeGguf({ ...keys, 'bert.pooling_type': ['u32', type] }, tensors);
  const model = await openModel({ weights, attention });
  expect(model.embed([[1, 2, 3]])).toEqual(model.embed([[1, 2, 3]], { pooling, normalize: false }));
  model.dispose();
});
