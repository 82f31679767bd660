/** Heads that predict masked tokens, by their formulas in float64, for layers with another activation than usual. */
import { expect, test } from '@jest/globals';
import { readSafetensors, type Tensor } from 'wasm-attention';
import { openModel } from 'wasm-attention/models';
import { ACTIVATIONS } from '../reference/feedForward.js';
import { layerNorm } from '../reference/layerNorm.js';
import { linear } from '../reference/linear.js';
import { EPS, expectClose } from '../support/close.js';
import { attention } from '../support/library.js';
import { checkpoint, open } from './fixtures.js';

interface Names {
  readonly map: string;
  readonly norm: string;
  readonly decoder: string;
  readonly bias: string;
}

const TABLE = 'embeddings.word_embeddings.weight';
const ROBERTA: Names = {
  map: 'lm_head.dense',
  norm: 'lm_head.layer_norm',
  decoder: `roberta.${TABLE}`,
  bias: 'lm_head.bias',
};
const BERT: Names = {
  map: 'cls.predictions.transform.dense',
  norm: 'cls.predictions.transform.LayerNorm',
  decoder: `bert.${TABLE}`,
  bias: 'cls.predictions.bias',
};
const DISTILBERT: Names = {
  map: 'vocab_transform',
  norm: 'vocab_layer_norm',
  decoder: `distilbert.${TABLE}`,
  bias: 'vocab_projector.bias',
};
// transformers' RobertaLMHead always has gelu; the other heads have the config's activation.
test.each<[string, Names, string, 'gelu' | 'gelu-tanh' | 'relu' | 'silu', string]>([
  ['roberta', ROBERTA, 'relu', 'gelu', 'hidden_act'],
  ['roberta', ROBERTA, 'gelu_new', 'gelu', 'hidden_act'],
  ['bert-padded', BERT, 'relu', 'relu', 'hidden_act'],
  ['distilbert', DISTILBERT, 'silu', 'silu', 'activation'],
])("%s's head with an activation of %3$s", async (name, names, given, wanted, field) => {
  const { config, bytes } = checkpoint(name);
  const tensors = readSafetensors(bytes);
  const model = await open({ config: { ...config, [field]: given }, bytes });
  const { hidden, logits } = model.forward([5, 9, 3, 7]);
  const rows = { data: hidden.data, shape: [4, model.numHiddens] };
  const of = (tensor: string) => tensors[tensor]!;
  const mapped = linear(rows, of(`${names.map}.weight`), of(`${names.map}.bias`));
  const [f] = ACTIVATIONS[wanted];
  const active = { data: mapped.data.map((x) => f(x)), shape: mapped.shape };
  const eps = Number(config.layer_norm_eps ?? 1e-12);
  const normed = layerNorm(active, eps, of(`${names.norm}.weight`), of(`${names.norm}.bias`));
  const expected = linear(normed, of(names.decoder), of(names.bias));
  // Sums of 24 products of numbers near 1; the difference between the two gelus is a hundred times larger.
  expectClose({ data: logits!.data, shape: [4, model.vocabSize] }, expected, { atol: 64 * EPS });
  expect(model.unused).toEqual([]);
  model.dispose();
});

// The file has a projection only if the widths differ.
test.each([16, 18])("ELECTRA's head, of embeddings %i wide before layers of width 18", async (width) => {
  const { config, bytes } = checkpoint('electra-discriminator');
  const numbers = (...shape: number[]): Tensor => ({
    data: Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => Math.sin(i * i + shape[0]!)),
    shape,
  });
  const body = Object.entries(readSafetensors(bytes)).flatMap(([name, { data, shape }]): [string, Tensor][] => {
    if (!name.startsWith('electra.')) return [];
    if (name.includes('embeddings_project')) return width === 18 ? [] : [[name, { data, shape }]];
    const widened = name.includes('.embeddings.') && width === 18;
    return [[name, widened ? numbers(...shape.slice(0, -1), width) : { data, shape }]];
  });
  const weights: Record<string, Tensor> = {
    ...Object.fromEntries(body),
    'generator_predictions.dense.weight': numbers(width, 18),
    'generator_predictions.dense.bias': numbers(width),
    'generator_predictions.LayerNorm.weight': numbers(width),
    'generator_predictions.LayerNorm.bias': numbers(width),
    'generator_lm_head.bias': numbers(61),
  };
  const changes = { architectures: ['ElectraForMaskedLM'], embedding_size: width, hidden_act: 'relu' };
  const model = await openModel({ config: { ...config, ...changes }, weights, attention });
  const { hidden, logits } = model.forward([5, 9, 3, 7]);
  const of = (tensor: string) => weights[tensor]!;
  const dense = 'generator_predictions.dense';
  const norm = 'generator_predictions.LayerNorm';
  const mapped = linear({ data: hidden.data, shape: [4, 18] }, of(`${dense}.weight`), of(`${dense}.bias`));
  const active = { data: mapped.data.map((x) => ACTIVATIONS.gelu[0](x)), shape: mapped.shape };
  const normed = layerNorm(active, Number(config.layer_norm_eps), of(`${norm}.weight`), of(`${norm}.bias`));
  const expected = linear(normed, of(`electra.${TABLE}`), of('generator_lm_head.bias'));
  expectClose({ data: logits!.data, shape: [4, model.vocabSize] }, expected, { atol: 64 * EPS });
  expect(model.unused).toEqual([]);
  model.dispose();
});
