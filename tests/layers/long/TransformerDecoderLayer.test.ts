/** The decoder layer with its options, against float64. */
import { test } from '@jest/globals';
import type { TransformerDecoderLayerOptions } from 'wasm-attention';
import type { BlockReferenceOptions } from '../../reference/transformerBlock.js';
import { expectBlock, decoderOf } from '../../support/blockCases.js';
import { Random } from '../../support/random.js';

const random = new Random(1);
const [x, memory, g] = [random.tensor([2, 5, 8]), random.tensor([2, 3, 8]), random.tensor([2, 5, 8])];
const make = (options: Partial<TransformerDecoderLayerOptions> = {}) => decoderOf(random, options);

const turned = { rotary: { queries: {}, keys: {} } };
test.each<[string, Partial<TransformerDecoderLayerOptions>, Partial<BlockReferenceOptions>]>([
  ['norms after the sums', {}, {}],
  ['norms before the sublayers', { norm: 'pre' }, {}],
  ['no biases', { bias: false, norm: 'pre' }, {}],
  ['rotary positions of self-attention', { rotary: {} }, turned],
  ['another eps', { eps: 0.5 }, { eps: 0.5 }],
])('TransformerDecoderLayer agrees with float64, and so do its gradients, with %s', (_name, options, reference) => {
  const layer = make({ activation: 'gelu', ...options });
  const self = { isCausal: true };
  const cross = { validLens: { data: [3, 2], shape: [2] } };
  const inference = layer.forward(x, memory, {
    ...self,
    needWeights: true,
    cross: { ...cross, needWeights: true },
  });
  const training = layer.forward(x, memory, { ...self, training: true, cross });
  const { norm = 'post' } = options;
  const expected = { numHeads: 2, norm, activation: 'gelu' as const, self, cross, ...reference };
  expectBlock(layer, inference, training, { x, memory, g }, expected);
});
