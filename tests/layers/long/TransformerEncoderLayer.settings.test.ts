/** The settings of TransformerEncoderLayer against float64: norms, heads, the feed-forward network. */
import { test } from '@jest/globals';
import type { TransformerEncoderLayerOptions } from 'wasm-attention';
import type { BlockReferenceOptions } from '../../reference/transformerBlock.js';
import { expectBlock, MODERN, encoderOf } from '../../support/blockCases.js';
import { Random } from '../../support/random.js';

const random = new Random(1);
const [x, g] = [random.tensor([2, 5, 8]), random.tensor([2, 5, 8])];
const make = (options: Partial<TransformerEncoderLayerOptions> = {}) => encoderOf(random, options);

const turned = { rotary: { queries: {}, keys: {} } };

type Setting = [string, Partial<TransformerEncoderLayerOptions>, Partial<BlockReferenceOptions>];
const SETTINGS: Setting[] = [
  ['layer norms with another eps', { eps: 0.5, activation: 'gelu' }, { eps: 0.5, activation: 'gelu' }],
  ['RMS norms after the sums', { normType: 'rms', activation: 'gelu' }, { activation: 'gelu' }],
  [
    'RMS norms before sublayers',
    { normType: 'rms', norm: 'pre', eps: 0.1, activation: 'silu' },
    { eps: 0.1, activation: 'silu' },
  ],
  ['a gated network', { feedForward: 'gated' }, { activation: 'silu' }],
  [
    'a gated network without biases',
    { feedForward: 'gated', bias: false, activation: 'gelu-tanh' },
    { activation: 'gelu-tanh' },
  ],
  ['grouped heads', { numKvHeads: 2, activation: 'gelu' }, { activation: 'gelu' }],
  ['one key/value head, before the norm', { numKvHeads: 1, norm: 'pre', activation: 'gelu' }, { activation: 'gelu' }],
  ['wide heads', { headDim: 5, activation: 'gelu' }, { activation: 'gelu' }],
  ['normed heads', { qkNorm: { eps: 0.2 }, activation: 'gelu' }, { activation: 'gelu', headEps: 0.2 }],
  [
    "biases of attention's inputs alone",
    { bias: { query: true, key: true, value: true }, activation: 'gelu' },
    { activation: 'gelu' },
  ],
  ["a bias of attention's output alone", { bias: { output: true }, activation: 'silu' }, { activation: 'silu' }],
  ['all that language models have', MODERN, { activation: 'silu', ...turned }],
];

test.each(SETTINGS)(
  'TransformerEncoderLayer agrees with float64, and so do its gradients, with %s',
  (_name, options, reference) => {
    const layer = make(options);
    const { numKvHeads = 4, norm = 'post', normType = 'layer' } = options;
    const causal = { isCausal: true };
    const inference = layer.forward(x, { ...causal, needWeights: true });
    const training = layer.forward(x, { ...causal, training: true });
    const expected = { numHeads: 4, numKvHeads, norm, normType, self: causal, ...reference };
    expectBlock(layer, inference, training, { x, g }, expected);
  },
);
