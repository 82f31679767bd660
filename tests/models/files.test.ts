/** All published forms of checkpoints, and those that are refused. */
import { describe, expect, test } from '@jest/globals';
import { readSafetensors, writeSafetensors, type Tensor } from 'wasm-attention';
import { openModel, type Weights } from 'wasm-attention/models';
import { allocator, attention as watched } from '../fuzz/watched.js';
import { attention } from '../support/library.js';
import { checkpoint } from './fixtures.js';
import { float16, halved, safetensors } from './halves.js';

type Tensors = Record<string, Tensor>;
const read = (name: string): { config: Record<string, unknown>; tensors: Tensors; ids: number[][] } => {
  const { config, bytes, expected } = checkpoint(name);
  return { config, tensors: readSafetensors(bytes), ids: expected.ids };
};
const hiddenOf = async (config: unknown, weights: Weights, ids: number[][]) => {
  const model = await openModel({ config, weights, attention });
  const { hidden, logits } = model.forward(ids);
  const { unused } = model;
  model.dispose();
  return { hidden, logits, unused };
};
const renamed = (tensors: Tensors, rename: (name: string) => string): Tensors =>
  Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [rename(name), tensor]));

describe('the same model', () => {
  const { config, tensors, ids } = read('bert-padded');
  const whole = hiddenOf(config, writeSafetensors(tensors), ids);
  const half = Object.keys(tensors).filter((_, i) => i % 2 === 0);
  const some = (isFirst: boolean): Tensors =>
    Object.fromEntries(Object.entries(tensors).filter(([name]) => half.includes(name) === isFirst));
  const shards = [writeSafetensors(some(false)), writeSafetensors(some(true))];
  test.each<[string, Weights]>([
    ['in tensors by name', tensors],
    ['without its prefix', renamed(tensors, (name) => name.replace(/^bert\./, ''))],
    [
      'with gamma and beta',
      renamed(tensors, (name) =>
        name.replace(/LayerNorm\.weight$/, 'LayerNorm.gamma').replace(/LayerNorm\.bias$/, 'LayerNorm.beta'),
      ),
    ],
    ['in two files', shards],
    ['in two files, the other way round', [...shards].reverse()],
    ['in a Blob', new Blob([new Uint8Array(writeSafetensors(tensors))])],
    ['in an ArrayBuffer', new Uint8Array(writeSafetensors(tensors)).buffer],
    [
      'at an odd address',
      (() => {
        const file = writeSafetensors(tensors);
        const odd = new Uint8Array(file.length + 1);
        odd.set(file, 1);
        return odd.subarray(1);
      })(),
    ],
  ])('%s', async (_, weights) => {
    expect(await hiddenOf(config, weights, ids)).toEqual(await whole);
  });

  test('with buffers that are not parameters', async () => {
    const extra = safetensors({
      ...Object.fromEntries(Object.entries(tensors).map(([name, t]) => [name, { dtype: 'F32', ...t }])),
      'bert.embeddings.position_ids': { dtype: 'I64', shape: [1, 2], data: new BigInt64Array(2) },
      masked_bias: { dtype: 'F32', shape: [], data: new Float32Array(1) },
    });
    const { unused, ...result } = await hiddenOf(config, extra, ids);
    expect(result).toEqual({ hidden: (await whole).hidden, logits: (await whole).logits });
    expect([...unused].sort()).toEqual(['bert.embeddings.position_ids', 'masked_bias']);
  });

  test.each(['F16', 'BF16'] as const)('in %s, with rounded weights', async (dtype) => {
    const small = safetensors(
      Object.fromEntries(
        Object.entries(tensors).map(([name, { data, shape }]) => [name, { dtype, shape, data: halved(dtype, data) }]),
      ),
    );
    const rounded = Object.fromEntries(
      Object.entries(tensors).map(([name, { data, shape }]) => [name, { data: float16(dtype, data), shape }]),
    );
    expect(await hiddenOf(config, small, ids)).toEqual(await hiddenOf(config, rounded, ids));
  });
});

test('a head that is tied to the embedding, or a tensor of its own', async () => {
  const { config, tensors, ids } = read('llama3-scaled-tied');
  const tied = await hiddenOf(config, tensors, ids);
  const table = tensors['model.embed_tokens.weight']!;
  const own = await hiddenOf({ ...config, tie_word_embeddings: false }, { ...tensors, 'lm_head.weight': table }, ids);
  expect(own.logits).toEqual(tied.logits);
  expect((await hiddenOf({ ...config, tie_word_embeddings: false }, tensors, ids)).logits).toBeUndefined();
});

test('rotary positions of transformers 5', async () => {
  const { config, tensors, ids } = read('llama3-scaled-tied');
  const { rope_scaling: scaling, rope_theta: theta, ...rest } = config;
  const parameters = { ...(scaling as object), rope_theta: theta };
  expect((await hiddenOf({ ...rest, rope_parameters: parameters }, tensors, ids)).hidden).toEqual(
    (await hiddenOf(config, tensors, ids)).hidden,
  );
});

test('biases of all four projections, if the config has them', async () => {
  const { config, tensors, ids } = read('llama-grouped');
  const zero = (width: number): Tensor => ({ data: new Float32Array(width), shape: [width] });
  const biases: Tensors = {};
  for (const layer of [0, 1]) {
    for (const [name, width] of [
      ['q', 32],
      ['k', 16],
      ['v', 16],
      ['o', 32],
    ] as const) {
      biases[`model.layers.${layer}.self_attn.${name}_proj.bias`] = zero(width);
    }
  }
  const withBias = { ...config, attention_bias: true };
  expect((await hiddenOf(withBias, { ...tensors, ...biases }, ids)).hidden).toEqual(
    (await hiddenOf(config, tensors, ids)).hidden,
  );
  for (const name of Object.keys(biases)) {
    const { [name]: _, ...fewer } = biases;
    await expect(hiddenOf(withBias, { ...tensors, ...fewer }, ids)).rejects.toThrow(name.replace('model.', ''));
    const other = {
      ...biases,
      [name]: { data: biases[name]!.data.map((__, i) => i % 3), shape: biases[name]!.shape },
    };
    const changed = (await hiddenOf(withBias, { ...tensors, ...other }, ids)).hidden;
    // A bias of keys moves all scores of a query equally, except for the rotation.
    expect(changed).not.toEqual((await hiddenOf(config, tensors, ids)).hidden);
  }
});

test('a window for the layers that the config names', async () => {
  const { config, tensors, ids } = read('qwen2');
  const hidden = async (changes: object) => (await hiddenOf({ ...config, ...changes }, tensors, ids)).hidden;
  const plain = await hidden({});
  expect(await hidden({ sliding_window: 3 })).toEqual(plain);
  expect(await hidden({ sliding_window: 3, use_sliding_window: true })).toEqual(plain); // of layers from 28 on
  const both = await hidden({ sliding_window: 3, use_sliding_window: true, max_window_layers: 0 });
  expect(both).not.toEqual(plain);
  const types = ['sliding_attention', 'sliding_attention'];
  expect(await hidden({ sliding_window: 3, use_sliding_window: true, layer_types: types })).toEqual(both);
  const first = await hidden({
    sliding_window: 3,
    use_sliding_window: true,
    layer_types: ['full_attention', types[0]],
  });
  expect(first).toEqual(await hidden({ sliding_window: 3, use_sliding_window: true, max_window_layers: 1 }));
});

describe('before it takes any memory, openModel refuses', () => {
  const llama = read('llama-grouped');
  const bert = read('bert-padded');
  const without = (tensors: Tensors, name: string): Tensors => {
    const { [name]: _, ...rest } = tensors;
    return rest;
  };
  const norm = 'model.layers.1.input_layernorm.weight';
  test.each<[string, unknown, unknown, RegExp]>([
    ['a model of another family', { model_type: 'mamba' }, {}, /config\.model_type to be one of .*bert.*got 'mamba'$/],
    ['no config', undefined, {}, /config to be an object/],
    [
      'a config without layers',
      { ...llama.config, num_hidden_layers: undefined },
      llama.tensors,
      /config\.num_hidden_layers/,
    ],
    ['a width that is no number', { ...llama.config, hidden_size: '32' }, llama.tensors, /config\.hidden_size/],
    [
      'heads that do not divide the width',
      { ...bert.config, num_attention_heads: 5 },
      bert.tensors,
      /to divide 24, got 5$/,
    ],
    [
      'another activation',
      { ...llama.config, hidden_act: 'mish' },
      llama.tensors,
      /config\.hidden_act to be one of .*got 'mish'$/,
    ],
    [
      'another rope type',
      { ...llama.config, rope_scaling: { rope_type: 'spiral', factor: 2 } },
      llama.tensors,
      /rope_type to be .*got 'spiral'$/,
    ],
    ['a quantised model', { ...llama.config, quantization_config: { bits: 4 } }, llama.tensors, /quantization_config/],
    [
      'layers within groups',
      { ...read('albert-shared').config, inner_group_num: 2 },
      {},
      /config\.inner_group_num to be 1, got 2$/,
    ],
    ['a decoder of BERT', { ...bert.config, is_decoder: true }, bert.tensors, /config\.is_decoder/],
    [
      'relative positions',
      { ...bert.config, position_embedding_type: 'relative_key' },
      bert.tensors,
      /position_embedding_type/,
    ],
    [
      'a missing bias of a head',
      bert.config,
      without(bert.tensors, 'cls.predictions.bias'),
      /a tensor 'cls\.predictions\.bias', got none$/,
    ],
    [
      'a missing tensor',
      llama.config,
      without(llama.tensors, norm),
      /a tensor 'model\.layers\.1\.input_layernorm\.weight', got none$/,
    ],
    [
      'a misshapen tensor',
      llama.config,
      { ...llama.tensors, [norm]: { data: new Float32Array(31), shape: [31] } },
      /'model\.layers\.1\.input_layernorm\.weight' of shape \(32,\), got \(31,\)$/,
    ],
    [
      'the same tensor twice',
      llama.config,
      [writeSafetensors(llama.tensors), writeSafetensors({ [norm]: llama.tensors[norm]! })],
      /twice$/,
    ],
    [
      'a tensor of whole numbers',
      llama.config,
      safetensors({
        ...Object.fromEntries(Object.entries(llama.tensors).map(([n, t]) => [n, { dtype: 'F32', ...t }])),
        [norm]: { dtype: 'I32', shape: [32], data: new Int32Array(32) },
      }),
      /to be F32, F16 or BF16, got I32$/,
    ],
    ['half a file', llama.config, writeSafetensors(llama.tensors).slice(0, 20000), /bytes of data/],
    ['no files', llama.config, [], /at least one file/],
    ['weights of another kind', llama.config, 7, /weights to be files or tensors by name/],
  ])('%s', async (_, config, weights, message) => {
    const before = [allocator.liveBytes, allocator.calls];
    await expect(openModel({ config, weights: weights as Weights, attention: watched })).rejects.toThrow(message);
    expect([allocator.liveBytes, allocator.calls]).toEqual(before);
  });

  test('a file that cannot be read', async () => {
    class Unplugged extends Blob {
      override slice(): Blob {
        return { arrayBuffer: () => Promise.reject(new Error('the disk is gone')) } as unknown as Blob;
      }
    }
    await expect(
      openModel({ config: llama.config, weights: new Unplugged(['0'.repeat(99)]), attention }),
    ).rejects.toThrow(/^openModel: expected a file that can be read, got the disk is gone$/);
  });

  test('anything but a module of this library', async () => {
    for (const other of [{}, 1, { ...attention }]) {
      const opening = openModel({ config: llama.config, weights: llama.tensors, attention: other as never });
      await expect(opening).rejects.toThrow(/attention to be from this version's load\(\)/);
    }
  });
});
