import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { load } from 'wasm-attention';
import { openModel } from 'wasm-attention/models';

test('attention is computed', async () => {
  const { scaledDotProductAttention } = await load();
  const { output } = scaledDotProductAttention([[1, 0]], [[1, 0]], [[10]]);
  expect([...output.data]).toEqual([10]);
});

test('a model continues a text', async () => {
  const config = JSON.parse(await readFile('stories260K/config.json', 'utf8'));
  const model = await openModel({ config, weights: await readFile('stories260K/model.safetensors') });
  const tokens = [];
  for await (const token of model.generate([1, 403], { maxTokens: 10 })) tokens.push(token);
  expect(tokens).toHaveLength(10);
});
