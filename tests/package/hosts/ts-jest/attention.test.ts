import { load } from 'wasm-attention';
import { openModel, type Model } from 'wasm-attention/models';
import { readFile } from 'node:fs/promises';

test('attention is computed', async () => {
  const { scaledDotProductAttention } = await load();
  expect([...scaledDotProductAttention([[1, 0]], [[1, 0]], [[10]]).output.data]).toEqual([10]);
});

test('a model continues a text', async () => {
  const config: unknown = JSON.parse(await readFile('stories260K/config.json', 'utf8'));
  const model: Model = await openModel({ config, weights: await readFile('stories260K/model.safetensors') });
  const tokens: number[] = [];
  for await (const token of model.generate([1, 403], { maxTokens: 10 })) tokens.push(token);
  expect(tokens).toHaveLength(10);
});
