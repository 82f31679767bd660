/** Folders of sentence-transformers, from everywhere, embed as their modules say. */
import { describe, expect, test } from '@jest/globals';
import { openModel, readCheckpoint } from 'wasm-attention/models';
import { attention } from '../../support/library.js';
import { checkpoint } from '../fixtures.js';
import { ADDRESS, filesOf, json, published, serverOf, write } from './folders.js';

const { config, bytes, expected } = checkpoint('bert-padded');
const width = config.hidden_size as number;
const weight = { data: Float32Array.from({ length: 3 * 2 * width }, (_, i) => Math.sin(i)), shape: [3, 2 * width] };
const dense = { in_features: 2 * width, out_features: 3, bias: false, activation_function: 'torch.nn.Tanh' };
const pooling = { pooling_mode_cls_token: true, pooling_mode_mean_tokens: true };
const types = ['Transformer', 'Pooling', 'Dense', 'Normalize'];
const files = {
  ...published('bert-padded'),
  'modules.json': json(types.map((type, idx) => ({ idx, path: idx === 0 ? '' : `${idx}_${type}`, type: `a.${type}` }))),
  '1_Pooling/config.json': json(pooling),
  '2_Dense/config.json': json(dense),
  '2_Dense/model.safetensors': write({ 'linear.weight': weight }),
};
describe('a folder of sentence-transformers', () => {
  test('embeds as its modules say, wherever it is', async () => {
    const sentence = {
      pooling,
      normalize: true,
      dense: [{ config: dense, weights: files['2_Dense/model.safetensors'] }],
    };
    const own = await openModel({ config, weights: bytes, sentence, attention });
    const right = own.embed(expected.ids);
    expect(right.shape).toEqual([expected.ids.length, 3]);
    own.dispose();
    for (const folder of [filesOf(files), ADDRESS]) {
      for (const ranges of [true, false]) {
        const found = await readCheckpoint(folder, { fetch: serverOf(files, { ranges }).fetch });
        const model = await openModel({ ...found, attention });
        expect(model.embed(expected.ids)).toEqual(right);
        model.dispose();
      }
    }
  });

  test.each<[string, object, RegExp]>([
    ['no pooling', { pooling: 7 }, /sentence\.pooling to be an object/],
    ['prompts that do not count', { pooling: { include_prompt: false } }, /sentence\.pooling\.include_prompt/],
    [
      'weights that are no file',
      { dense: [{ config: dense, weights: 7 }] },
      /sentence\.dense\[0\]\.weights to be a file/,
    ],
    ['no Dense', { dense: [null] }, /sentence\.dense\[0\] to be an object/],
  ])('is refused for %s', async (_, changed, message) => {
    const sentence = { pooling, ...changed };
    await expect(openModel({ config, weights: bytes, sentence, attention })).rejects.toThrow(message);
  });
});
