/** Sentence embeddings: against sentence-transformers (st-* in tests/fixtures/models), and by their formulas. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { writeSafetensors, type Tensor } from 'wasm-attention';
import { openModel, type EmbedOptions, type Model, type Pooling, type SentenceModules } from 'wasm-attention/models';
import { allocator, attention } from '../fuzz/watched.js';
import { pooled as pool } from '../reference/sentenceEmbedding.js';
import { EPS } from '../support/close.js';
import { checkpoint, checkpoints } from './fixtures.js';

const NAME = 'st-mean-normalize';
const D = 16;
const { config, bytes } = checkpoint(NAME);
/** Padding on neither side, on the right, on the left. */
const ids = [
  [5, 9, 3, 7],
  [8, 4, 0, 0],
  [0, 0, 6, 11],
];
const attentionMask = [
  [1, 1, 1, 1],
  [1, 1, 0, 0],
  [0, 0, 1, 1],
];
const numbers = (...shape: number[]): Tensor => ({
  data: Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => Math.sin(i * i + shape[0]!)),
  shape,
});
const open = async (sentence?: SentenceModules): Promise<Model> =>
  openModel({ config, weights: bytes, attention, ...(sentence && { sentence }) });

type Vector = readonly number[];
const POOLINGS: readonly Pooling[] = ['cls', 'last', 'max', 'mean', 'mean_sqrt_len', 'weighted_mean'];
/** What a row of the batch above gives. */
function pooled(model: Model, modes: readonly Pooling[], b: number): Vector {
  const { data } = model.forward(ids, { attentionMask }).hidden;
  const tokens = [0, 1, 2, 3].map((t) => Array.from(data.subarray((4 * b + t) * D, (4 * b + t + 1) * D)));
  return modes.flatMap((mode) => pool(mode, tokens, attentionMask[b]!));
}
const unit = (x: Vector): Vector => x.map((each) => each / Math.hypot(...x));
const linear = (x: Vector, { data, shape }: Tensor, bias?: Tensor): Vector =>
  Array.from(
    { length: shape[0]! },
    (_, o) => x.reduce((sum, each, i) => sum + each * data[o * x.length + i]!, 0) + (bias?.data[o] ?? 0),
  );

async function expectRows(
  sentence: SentenceModules | undefined,
  options: EmbedOptions,
  wanted: (model: Model, b: number) => Vector,
): Promise<void> {
  const model = await open(sentence);
  const { data, shape } = model.embed(ids, { attentionMask, ...options });
  const rows = ids.map((_, b) => wanted(model, b));
  expect(shape).toEqual([3, rows[0]!.length]);
  const worst = rows.flat().reduce((most, x, i) => Math.max(most, Math.abs(x - data[i]!)), 0);
  expect(worst).toBeLessThan(16 * EPS); // the formulas differ by roundings of float64; results are float32 below 8
  model.dispose();
}

describe.each(checkpoints.filter((name) => name.startsWith('st-')))('%s', (name) => {
  test('agrees with sentence-transformers', async () => {
    const { expected, tensors, ...files } = checkpoint(name);
    const json = (path: string): never =>
      JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures/models', name, path), 'utf8')) as never;
    const modules: { path: string; type: string }[] = json('modules.json');
    const normalize = modules.some(({ type }) => type.endsWith('.Normalize'));
    const sentence = { pooling: json('1_Pooling/config.json'), normalize };
    const model = await openModel({ config: files.config, weights: files.bytes, attention, sentence });
    const { data, shape } = model.embed(expected.ids, { attentionMask: expected.attentionMask });
    const wanted = tensors.sentence_embedding!;
    expect(shape).toEqual(wanted.shape);
    wanted.data.forEach((x, i) => expect(Math.abs(x - data[i]!)).toBeLessThan(1e-5));
    model.dispose();
  });
});

describe('pooling', () => {
  test.each(POOLINGS)('%s, as an option and as a module', async (mode) => {
    const wanted = (model: Model, b: number) => pooled(model, [mode], b);
    await expectRows(undefined, { pooling: mode }, wanted);
    await expectRows({ pooling: { pooling_mode: 'cls' } }, { pooling: mode }, wanted);
  });

  test('without modules is the mean', async () => {
    await expectRows(undefined, {}, (model, b) => pooled(model, ['mean'], b));
    await expectRows({ normalize: true }, {}, (model, b) => unit(pooled(model, ['mean'], b)));
  });

  test.each<[Record<string, unknown>, Pooling[]]>([
    [{}, ['mean']],
    [{ pooling_mode_cls_token: true }, ['cls', 'mean']],
    [
      { pooling_mode_lasttoken: true, pooling_mode_mean_tokens: false, pooling_mode_weightedmean_tokens: true },
      ['weighted_mean', 'last'],
    ],
    [
      { pooling_mode_mean_sqrt_len_tokens: true, pooling_mode_max_tokens: true, word_embedding_dimension: D },
      ['max', 'mean', 'mean_sqrt_len'],
    ],
    [{ pooling_mode: 'lasttoken', embedding_dimension: D, include_prompt: true }, ['last']],
    [{ pooling_mode: 'CLS', pooling_mode_mean_tokens: true }, ['cls']],
    [{ pooling_mode: ['weightedmean', 'cls'] }, ['weighted_mean', 'cls']],
    [{ pooling_mode: ['mean_sqrt_len_tokens', 'max', 'mean'] }, ['mean_sqrt_len', 'max', 'mean']],
  ])('of a file that says %j', async (pooling, modes) => {
    await expectRows({ pooling }, {}, (model, b) => pooled(model, modes, b));
  });
});

describe('Dense', () => {
  const [wide, narrow, bias] = [numbers(20, D), numbers(6, 20), numbers(20)];
  const file = (weight: Tensor, bias?: Tensor): Uint8Array<ArrayBuffer> =>
    writeSafetensors({ 'linear.weight': weight, ...(bias && { 'linear.bias': bias }) });
  const configOf = (weight: Tensor, activation: string, bias: boolean): object => ({
    in_features: weight.shape[1],
    out_features: weight.shape[0],
    bias,
    activation_function: `torch.nn.modules.${activation}`,
  });
  const first = { config: configOf(wide, 'activation.Tanh', true), weights: file(wide, bias) };
  const second = { config: configOf(narrow, 'linear.Identity', false), weights: new Blob([file(narrow)]) };
  const tanh = (x: Vector): Vector => linear(x, wide, bias).map(Math.tanh);

  test('maps what is pooled, one after another, before dim and normalize', async () => {
    const dense = [first, second];
    const whole = (model: Model, b: number) => linear(tanh(pooled(model, ['mean'], b)), narrow);
    await expectRows({ dense }, {}, whole);
    await expectRows({ dense: [first] }, {}, (model, b) => tanh(pooled(model, ['mean'], b)));
    await expectRows({ dense, normalize: true }, { dim: 4 }, (model, b) => unit(whole(model, b).slice(0, 4)));
    await expectRows({ dense, normalize: true }, { normalize: false }, whole);
    await expectRows({ dense }, { pooling: 'last' }, (model, b) => linear(tanh(pooled(model, ['last'], b)), narrow));
  });

  const poolings: Record<string, [unknown, RegExp]> = {
    'as a word': ['mean', /sentence\.pooling to be an object, got 'mean'$/],
    'of another mode': [{ pooling_mode: 'median' }, /sentence\.pooling\.pooling_mode of cls, .*got 'median'$/],
    'of no mode': [{ pooling_mode: [] }, /sentence\.pooling\.pooling_mode of at least one mode/],
    'with all flags off': [{ pooling_mode_mean_tokens: false }, /sentence\.pooling\.pooling_mode to be given/],
    'with a number as a flag': [{ pooling_mode_cls_token: 1 }, /pooling_mode_cls_token to be a boolean, got 1$/],
    'of another width': [
      { word_embedding_dimension: 8 },
      /sentence\.pooling\.word_embedding_dimension to be 16, got 8$/,
    ],
    'without prompts': [{ include_prompt: false }, /sentence\.pooling\.include_prompt to be true, got false$/],
  };
  const layers: Record<string, [unknown, RegExp]> = {
    'that is no object': [5, /sentence\.dense\[1\] to be an object, got 5$/],
    'without a config': [{ weights: first.weights }, /sentence\.dense\[1\]\.config to be an object/],
    'of another width': [first, /sentence\.dense\[1\]\.config\.in_features to be 20, got 16$/],
    'without weights': [{ ...second, weights: 5 }, /sentence\.dense\[1\]\.weights.*got 5$/],
    'with other weights': [
      { ...second, weights: first.weights },
      /'linear\.weight' in sentence\.dense\[1\]\.weights of/,
    ],
    'without its bias': [
      { ...second, config: configOf(narrow, 'activation.Tanh', true) },
      /a tensor 'linear\.bias' in sentence\.dense\[1\]\.weights/,
    ],
    'with another activation': [
      { ...second, config: configOf(narrow, 'activation.Mish', false) },
      /activation_function to end in one of .*got 'torch\.nn\.modules\.activation\.Mish'$/,
    ],
    'of tokens': [
      { ...second, config: { ...second.config, module_input_name: 'token_embeddings' } },
      /module_input_name/,
    ],
  };
  const others: Record<string, [unknown, RegExp]> = {
    'no object': [5, /got 5$/],
    'an unknown one': [{ Normalize: true }, /Normalize/],
    'a number to normalise': [{ normalize: 1 }, /sentence\.normalize to be a boolean, got 1$/],
    'no list of Dense': [{ dense: 5 }, /sentence\.dense to be a list, got 5$/],
    ...Object.fromEntries(Object.entries(poolings).map(([k, [pooling, m]]) => [`a Pooling ${k}`, [{ pooling }, m]])),
    ...Object.fromEntries(
      Object.entries(layers).map(([k, [one, m]]) => [`a Dense ${k}`, [{ dense: [first, one] }, m]]),
    ),
  };
  test.each(Object.keys(others))('modules are refused before any memory is taken: %s', async (name) => {
    const [sentence, message] = others[name]!;
    const before = [allocator.liveBytes, allocator.calls];
    await expect(open(sentence as SentenceModules)).rejects.toThrow(message);
    expect([allocator.liveBytes, allocator.calls]).toEqual(before);
  });

  test.each<[object, RegExp]>([
    [{ pooling: 'median' }, /^embed: expected pooling to be one of mean, .*got median$/],
    [{ pooling: ['mean'] }, /^embed: expected pooling to be one of mean, .*got Array$/],
    [{ pooling: Object.create(null) as string }, /^embed: expected pooling to be one of mean, .*got Object$/],
    [{ dim: 0 }, /^embed: expected dim/],
    [{ dim: D + 1 }, /^embed: expected dim/],
    [{ dim: 1.5 }, /^embed: expected dim/],
    [{ normalize: 'yes' }, /^embed: expected normalize/],
    [{ tokenTypes: [[5, 0, 0, 0]] }, /^embed: expected tokenTypes/],
  ])('options that are refused: %j', async (options, message) => {
    const model = await open();
    expect(() => model.embed(ids, options as EmbedOptions)).toThrow(message);
    model.dispose();
  });

  test('refuses a pooling that gives another width than the first Dense takes', async () => {
    const both = numbers(4, 2 * D);
    const dense = [{ config: configOf(both, 'linear.Identity', false), weights: file(both) }];
    const model = await open({ pooling: { pooling_mode: ['cls', 'max'] }, dense });
    expect(model.embed(ids).shape).toEqual([3, 4]);
    expect(() => model.embed(ids, { pooling: 'cls' })).toThrow(/pooling that gives the 32 numbers .*, got 16$/);
    model.dispose();
  });
});

test('token types change an embedding', async () => {
  const model = await open();
  const tokenTypes = ids.map((row) => row.map(() => 1));
  expect(model.embed(ids, { tokenTypes }).data).not.toEqual(model.embed(ids).data);
  model.dispose();
});
