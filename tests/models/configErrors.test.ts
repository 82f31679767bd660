/** Errors of openModel name the config's field and the file's tensor. */
import { describe, expect, test } from '@jest/globals';
import { readSafetensors, type Tensor } from 'wasm-attention';
import { openModel } from 'wasm-attention/models';
import { allocator, attention } from '../fuzz/watched.js';
import { checkpoint } from './fixtures.js';

async function refused(name: string, changes: object, change?: (tensors: Record<string, Tensor>) => void) {
  const { config, bytes } = checkpoint(name);
  const weights = readSafetensors(bytes);
  change?.(weights);
  const before = [allocator.liveBytes, allocator.calls];
  const error: unknown = await openModel({ config: { ...config, ...changes }, weights, attention }).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(RangeError);
  expect([allocator.liveBytes, allocator.calls]).toEqual(before);
  return (error as Error).message;
}

test.each([
  ['llama-grouped', 'num_attention_heads', { num_attention_heads: 5, num_key_value_heads: 1 }],
  ['gpt-neox', 'num_attention_heads', { num_attention_heads: 5 }],
  ['bert-padded', 'num_attention_heads', { num_attention_heads: 5 }],
  ['gpt2', 'n_head', { n_head: 5 }],
  ['distilbert', 'n_heads', { n_heads: 5 }],
])('heads that do not divide the width, in %s: %s', async (name, field, changes) => {
  expect(await refused(name, { head_dim: undefined, ...changes })).toMatch(
    new RegExp(`^openModel: expected config\\.${field} to divide \\d+, got 5$`),
  );
});

test.each([
  ['llama-grouped', 'head_dim', { head_dim: 7 }],
  ['qwen3', 'head_dim', { head_dim: 1 }],
  ['gpt-neox', 'rotary_pct', { rotary_pct: 0.01 }],
  ['gpt-neox', 'rotary_pct', { rotary_pct: 2 }],
  ['phi', 'partial_rotary_factor', { partial_rotary_factor: 1.5 }],
  ['stablelm', 'partial_rotary_factor', { partial_rotary_factor: 0.1 }],
])('a rotary width that cannot be, in %s: %s', async (name, field, changes) => {
  expect(await refused(name, changes)).toMatch(
    new RegExp(`^openModel: expected config\\.${field} to give an even rotary width, got \\d+$`),
  );
});

describe.each(['llama-grouped', 'mistral-window', 'qwen2', 'qwen3'])('%s', (name) => {
  test.each([
    ['config.partial_rotary_factor', { partial_rotary_factor: 0.5 }],
    [
      'config.rope_parameters.partial_rotary_factor',
      { rope_parameters: { rope_type: 'default', rope_theta: 10000, partial_rotary_factor: 0.5 } },
    ],
  ])('refuses %s, which transformers cannot run either', async (field, changes) => {
    expect(await refused(name, changes)).toBe(`openModel: expected ${field} to be 1, got 0.5`);
  });

  test('accepts a partial_rotary_factor of 1', async () => {
    const { config, bytes } = checkpoint(name);
    const model = await openModel({ config: { ...config, partial_rotary_factor: 1 }, weights: bytes, attention });
    model.dispose();
  });
});

test.each([
  ['qwen2', 'llama', 'model.layers.0.self_attn.q_proj.bias'],
  ['qwen3', 'llama', 'model.layers.0.self_attn.q_norm.weight'],
  ['gemma3', 'gemma2', 'model.layers.0.self_attn.q_norm.weight'],
])('a file of %s as %s is refused by a tensor that would not be used', async (name, model_type, tensor) => {
  const message = await refused(name, { model_type, rope_local_base_freq: undefined });
  expect(message).toBe(`openModel: expected no tensor '${tensor}' in ${model_type}, got one`);
});

test.each([
  ['mistral-window', 'llama', 'sliding_window'],
  ['gemma3', 'gemma2', 'rope_local_base_freq'],
  ['granite', 'llama', 'attention_multiplier'],
  ['smollm3', 'llama', 'no_rope_layers'],
  ['stablelm', 'llama', 'partial_rotary_factor'],
])('a config of %s as %s is refused by a field', async (name, model_type, field) => {
  expect(await refused(name, { model_type })).toMatch(`openModel: expected config.${field} to be `);
});

test('a missing tensor is named without a prefix if the file has none', async () => {
  const bare = (tensors: Record<string, Tensor>): void => {
    for (const [name, tensor] of Object.entries(tensors)) {
      Reflect.deleteProperty(tensors, name);
      const short = name.replace('model.', '');
      if (short !== 'layers.1.mlp.up_proj.weight') tensors[short] = tensor;
    }
  };
  const message = await refused('llama-grouped', {}, bare);
  expect(message).toBe("openModel: expected a tensor 'layers.1.mlp.up_proj.weight', got none");
});
