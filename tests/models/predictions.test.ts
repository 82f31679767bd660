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
const MODERNBERT: Names = {
  map: 'head.dense',
  norm: 'head.norm',
  decoder: 'model.embeddings.tok_embeddings.weight',
  bias: 'decoder.bias',
};
// transformers' RobertaLMHead always has gelu; the other heads have the config's activation.
test.each<[string, Names, string, 'gelu' | 'gelu-tanh' | 'relu' | 'silu', string]>([
  ['roberta', ROBERTA, 'relu', 'gelu', 'hidden_act'],
  ['roberta', ROBERTA, 'gelu_new', 'gelu', 'hidden_act'],
  ['bert-padded', BERT, 'relu', 'relu', 'hidden_act'],
  ['distilbert', DISTILBERT, 'silu', 'silu', 'activation'],
  ['camembert-fill-mask', ROBERTA, 'relu', 'gelu', 'hidden_act'],
  ['mpnet-fill-mask', { ...ROBERTA, decoder: `mpnet.${TABLE}` }, 'relu', 'gelu', 'hidden_act'],
  ['modernbert-fill-mask', MODERNBERT, 'silu', 'silu', 'classifier_activation'],
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
  const eps = Number(config.norm_eps ?? config.layer_norm_eps ?? 1e-12);
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

test.each([
  [true, 'layer_norm', 'decoder.bias'],
  [false, 'layer_norm', undefined],
  [undefined, 'LayerNorm', 'bias'],
])("nomic_bert's head, where mlp_fc1_bias is %s", async (mlp_fc1_bias, norm, bias) => {
  const { config, bytes } = checkpoint('nomic-bert');
  const numbers = (...shape: number[]): Tensor => ({
    data: Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => Math.sin(i * i + shape[0]!)),
    shape,
  });
  const [dense, vocab] = ['cls.predictions.transform.dense', 64];
  const head: Record<string, Tensor> = {
    [`${dense}.weight`]: numbers(16, 16),
    ...(bias && { [`${dense}.bias`]: numbers(16), [`cls.predictions.${bias}`]: numbers(vocab) }),
    [`cls.predictions.transform.${norm}.weight`]: numbers(16),
    [`cls.predictions.transform.${norm}.bias`]: numbers(16),
  };
  // Layers of the first code have biases, too.
  const layers = Object.fromEntries(
    [0, 1].flatMap((i) => ['fc11', 'fc12'].map((map) => [`encoder.layers.${i}.mlp.${map}.bias`, numbers(256)])),
  );
  const weights = { ...readSafetensors(bytes), ...head, ...(mlp_fc1_bias && layers) };
  const changes = { architectures: ['NomicBertForPreTraining'], mlp_fc1_bias, activation_function: 'geglu' };
  const model = await openModel({ config: { ...config, ...changes }, weights, attention });
  const { hidden, logits } = model.forward([5, 9, 3, 7]);
  const mapped = linear({ data: hidden.data, shape: [4, 16] }, head[`${dense}.weight`]!, head[`${dense}.bias`]);
  const active = { data: mapped.data.map(ACTIVATIONS.gelu[0]), shape: mapped.shape };
  const at = `cls.predictions.transform.${norm}`;
  const normed = layerNorm(active, 1e-12, head[`${at}.weight`], head[`${at}.bias`]);
  const expected = linear(normed, weights['embeddings.word_embeddings.weight']!, head[`cls.predictions.${bias}`]);
  expectClose({ data: logits!.data, shape: [4, vocab] }, expected, { atol: 64 * EPS });
  expect(model.unused).toEqual([]);
  model.dispose();
});
