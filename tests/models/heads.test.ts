/** Heads that classify sequences or tokens, by their formulas in float64; and other details of checkpoints. */
import { describe, expect, test } from '@jest/globals';
import { readSafetensors, type Tensor } from 'wasm-attention';
import { openModel, type Model } from 'wasm-attention/models';
import { allocator, attention } from '../fuzz/watched.js';
import { ACTIVATIONS } from '../reference/feedForward.js';
import { EPS } from '../support/close.js';
import { checkpoint } from './fixtures.js';

type Tensors = Record<string, Tensor>;
/** Pseudo-random numbers between -1 and 1. */
const numbers = (...shape: number[]): Tensor => ({
  data: Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => Math.sin(i * i + shape[0]!)),
  shape,
});
const linear = (x: ArrayLike<number>, weight: Tensor, bias?: Tensor): number[] =>
  Array.from({ length: weight.shape[0]! }, (_, o) => {
    let sum = bias?.data[o] ?? 0;
    for (let i = 0; i < x.length; ++i) sum += x[i]! * weight.data[o * x.length + i]!;
    return sum;
  });
const rowOf = ({ data, shape }: Tensor, row: number): Float32Array =>
  data.subarray(row * shape.at(-1)!, (row + 1) * shape.at(-1)!);

/** A checkpoint with additional tensors, whose config names no head unless `changes` does. */
async function withHead(name: string, head: Tensors, changes: object = {}): Promise<Model> {
  const { config, bytes } = checkpoint(name);
  const weights = { ...readSafetensors(bytes), ...head };
  return openModel({ config: { ...config, architectures: undefined, ...changes }, weights, attention });
}

describe('a classification head', () => {
  const rows = [[5, 9, 3, 7], [8, 4], [6]];
  const D = {
    'bert-padded': 24,
    'albert-shared': 24,
    distilbert: 24,
    roberta: 24,
    'electra-discriminator': 18,
    'llama-grouped': 32,
    gpt2: 24,
    'gpt-neox': 32,
    'gpt-neo': 18,
    bloom: 20,
    gemma2: 20,
    opt: 20,
    phi: 24,
    'mpnet-fill-mask': 18,
    'deberta-v3-entailment': 18,
  } as const;
  type Name = keyof typeof D;
  const dense = (d: number) => [numbers(d, d), numbers(d)] as const;
  const mapped = (name: Name, map: string, out: string): Tensors => {
    const [weight, bias] = dense(D[name]);
    return {
      [`${map}.weight`]: weight,
      [`${map}.bias`]: bias,
      [`${out}.weight`]: numbers(3, D[name]),
      [`${out}.bias`]: numbers(3),
    };
  };
  const plain = (name: Name, out: string, hasBias: boolean): Tensors => ({
    [`${out}.weight`]: numbers(3, D[name]),
    ...(hasBias && { [`${out}.bias`]: numbers(3) }),
  });
  type Formula = (
    head: Tensors,
    hidden: (t: number) => Float32Array,
    tokens: number,
    pooled?: Float32Array,
  ) => number[];
  const first =
    (map: string, out: string, act: (x: number) => number): Formula =>
    (head, hidden) =>
      linear(
        linear(hidden(0), head[`${map}.weight`]!, head[`${map}.bias`]).map(act),
        head[`${out}.weight`]!,
        head[`${out}.bias`],
      );
  const last: Formula = (head, hidden, tokens) => linear(hidden(tokens - 1), head['score.weight']!, head['score.bias']);
  const fromPooled: Formula = (head, _, __, pooled) =>
    linear(pooled!, head['classifier.weight']!, head['classifier.bias']);

  test.each<[Name, Tensors, Formula]>([
    ['bert-padded', plain('bert-padded', 'classifier', true), fromPooled],
    ['albert-shared', plain('albert-shared', 'classifier', true), fromPooled],
    [
      'distilbert',
      mapped('distilbert', 'pre_classifier', 'classifier'),
      first('pre_classifier', 'classifier', (x) => Math.max(0, x)),
    ],
    [
      'roberta',
      mapped('roberta', 'classifier.dense', 'classifier.out_proj'),
      first('classifier.dense', 'classifier.out_proj', Math.tanh),
    ],
    [
      'electra-discriminator',
      mapped('electra-discriminator', 'classifier.dense', 'classifier.out_proj'),
      first('classifier.dense', 'classifier.out_proj', ACTIVATIONS.gelu[0]),
    ],
    [
      'mpnet-fill-mask',
      mapped('mpnet-fill-mask', 'classifier.dense', 'classifier.out_proj'),
      first('classifier.dense', 'classifier.out_proj', Math.tanh),
    ],
    ['deberta-v3-entailment', plain('deberta-v3-entailment', 'classifier', true), fromPooled],
    ['llama-grouped', plain('llama-grouped', 'score', false), last],
    ['gpt2', plain('gpt2', 'score', false), last],
    ['gpt-neox', plain('gpt-neox', 'score', true), last],
    ['gpt-neo', plain('gpt-neo', 'score', false), last],
    ['bloom', plain('bloom', 'score', false), last],
    // No cap on logits of classes.
    ['gemma2', plain('gemma2', 'score', false), last],
    ['opt', plain('opt', 'score', false), last],
    ['phi', { ...plain('phi', 'score', false) }, last],
  ])('sequences, in %s', async (name, head, formula) => {
    const model = await withHead(name, head);
    for (const lastOnly of [false, true]) {
      const { logits, hidden, pooled } = model.forward(rows, { lastOnly });
      expect(logits!.shape).toEqual([3, 3]);
      rows.forEach((row, b) => {
        const wanted = formula(head, (t) => rowOf(hidden, 4 * b + t), row.length, pooled && rowOf(pooled, b));
        wanted.forEach((x, i) => expect(Math.abs(rowOf(logits!, b)[i]! - x)).toBeLessThan(64 * EPS * D[name]));
      });
    }
    model.dispose();
  });

  test.each<[Name, string, string]>([
    ['bert-padded', 'classifier', 'BertForTokenClassification'],
    ['gpt2', 'classifier', 'GPT2ForTokenClassification'],
    ['llama-grouped', 'score', 'LlamaForTokenClassification'],
    ['bloom', 'classifier', 'BloomForTokenClassification'],
    ['gpt-neo', 'classifier', 'GPTNeoForTokenClassification'],
  ])('tokens, where the architecture says so: %s', async (name, out, architecture) => {
    const head = plain(name, out, true);
    const model = await withHead(name, head, { architectures: [architecture] });
    const { logits, hidden } = model.forward(rows);
    expect(logits!.shape).toEqual([3, 4, 3]);
    const some = model.forward(rows, { lastOnly: true }).logits!;
    expect(some.shape).toEqual([3, 1, 3]);
    rows.forEach((row, b) => {
      const near = (actual: Float32Array, t: number): void =>
        linear(rowOf(hidden, 4 * b + t), head[`${out}.weight`]!, head[`${out}.bias`]).forEach((x, i) =>
          expect(Math.abs(actual[i]! - x)).toBeLessThan(64 * EPS * D[name]),
        );
      row.forEach((_, t) => near(rowOf(logits!, 4 * b + t), t));
      near(rowOf(some, b), row.length - 1);
    });
    const message = model.isCausal ? /a head that predicts tokens/ : /a decoder, got bert$/;
    await expect(model.generate([1]).next()).rejects.toThrow(message);
    model.dispose();
  });

  test.each<[string, object, (rows: number[][]) => number[][], number[]]>([
    ['the first token', { classifier_pooling: 'cls' }, (rows) => [rows[0]!], [3, 3]],
    [
      'the mean of tokens',
      { classifier_pooling: 'mean' },
      (rows) => [rows[0]!.map((_, i) => rows.reduce((sum, row) => sum + row[i]! / rows.length, 0))],
      [3, 3],
    ],
    ['each token', { architectures: ['ModernBertForTokenClassification'] }, (rows) => rows, [3, 4, 3]],
    ['each token for an answer', { architectures: ['ModernBertForQuestionAnswering'] }, (rows) => rows, [3, 4, 2]],
  ])('of modernbert maps %s', async (_, changes, read, shape) => {
    const classes = shape.at(-1)!;
    const head = {
      'head.dense.bias': numbers(18),
      'classifier.weight': numbers(classes, 18),
      'classifier.bias': numbers(classes),
    };
    const options = { classifier_bias: true, classifier_activation: 'relu', ...changes };
    const model = await withHead('modernbert-fill-mask', head, options);
    const weights: Tensors = { ...readSafetensors(checkpoint('modernbert-fill-mask').bytes), ...head };
    const { logits, hidden } = model.forward(rows);
    expect(logits!.shape).toEqual(shape);
    const perRow = logits!.data.length / 3;
    rows.forEach((row, b) => {
      const states = row.map((_, t) => Array.from(rowOf(hidden, 4 * b + t)));
      read(states).forEach((x, t) => {
        const mapped = linear(x, weights['head.dense.weight']!, head['head.dense.bias']).map((y) => Math.max(0, y));
        const mean = mapped.reduce((a, b) => a + b) / 18;
        const deviation = Math.sqrt(mapped.reduce((sum, y) => sum + (y - mean) ** 2, 0) / 18 + 1e-5);
        const normed = mapped.map((y, i) => ((y - mean) / deviation) * weights['head.norm.weight']!.data[i]!);
        linear(normed, head['classifier.weight'], head['classifier.bias']).forEach((y, i) =>
          expect(Math.abs(logits!.data[b * perRow + t * classes + i]! - y)).toBeLessThan(64 * EPS * 18),
        );
      });
    });
    model.dispose();
  });

  test.each([[[0, 24]], [[3, 25]], [[3]], [[]]])('is refused with a weight of shape %j', async (shape) => {
    const weight = { data: new Float32Array(shape.reduce((a, b) => a * b, 1)), shape };
    await expect(withHead('bert-padded', { 'classifier.weight': weight })).rejects.toThrow(RangeError);
    await expect(withHead('bert-padded', { 'classifier.weight': weight })).rejects.toThrow(
      /^openModel: expected .*'classifier\.weight' of/,
    );
  });

  test('reads the narrow hidden states of OPT', async () => {
    const head = { 'score.weight': numbers(3, 12) };
    const narrow: Tensors = {
      'model.decoder.embed_tokens.weight': numbers(67, 12),
      'model.decoder.project_in.weight': numbers(20, 12),
      'model.decoder.project_out.weight': numbers(12, 20),
    };
    const model = await withHead('opt', { ...narrow, ...head }, { word_embed_proj_dim: 12 });
    const { logits, hidden, hiddenStates } = model.forward(rows, { needHiddenStates: true });
    expect([hidden.shape, hiddenStates![0]!.shape, hiddenStates!.at(-1)!.shape]).toEqual([
      [3, 4, 12],
      [3, 4, 20],
      [3, 4, 12],
    ]);
    rows.forEach((row, b) => {
      const wanted = linear(rowOf(hidden, 4 * b + row.length - 1), head['score.weight']);
      wanted.forEach((x, i) => expect(Math.abs(rowOf(logits!, b)[i]! - x)).toBeLessThan(64 * EPS * 20));
    });
    expect(model.embed(rows).shape).toEqual([3, 12]);
    expect(() => model.embed(rows, { dim: 13 })).toThrow(/dim/);
    model.dispose();
  });

  test('question answering: where the answer begins and ends', async () => {
    const head = { 'qa_outputs.weight': numbers(2, 24), 'qa_outputs.bias': numbers(2) };
    const model = await withHead('roberta', head, { architectures: ['RobertaForQuestionAnswering'], num_labels: 5 });
    const { logits, hidden } = model.forward([5, 9, 3]);
    expect([logits!.shape, model.labels]).toEqual([[1, 3, 2], undefined]);
    const expected = [0, 1, 2].flatMap((t) =>
      linear(rowOf(hidden, t), head['qa_outputs.weight'], head['qa_outputs.bias']),
    );
    expected.forEach((x, i) => expect(Math.abs(logits!.data[i]! - x)).toBeLessThan(64 * EPS * 24));
    model.dispose();
  });

  test('is the one that the config names, or else the first in the file, and has its labels', async () => {
    const id2label = { 1: 'b', 0: 'a', 2: 'c' };
    const both = plain('bert-padded', 'classifier', true);
    const found = async (changes: object): Promise<unknown[]> => {
      const model = await withHead('bert-padded', both, changes);
      const { shape } = model.forward([5, 9]).logits!;
      model.dispose();
      return [shape, model.labels];
    };
    const named = (task: string) => found({ architectures: [`BertFor${task}`], id2label });
    const tokens = checkpoint('bert-padded').config.vocab_size;
    expect(await named('SequenceClassification')).toEqual([
      [1, 3],
      ['a', 'b', 'c'],
    ]);
    expect(await named('TokenClassification')).toEqual([
      [1, 2, 3],
      ['a', 'b', 'c'],
    ]);
    expect(await named('MaskedLM')).toEqual([[1, 2, tokens], undefined]);
    // Not another one in its place, whose logits mean something else.
    const without = await withHead('bert-padded', both, { architectures: ['BertForQuestionAnswering'] });
    expect([without.forward([5, 9]).logits, without.labels]).toEqual([undefined, undefined]);
    expect(without.unused).toContain('classifier.weight');
    without.dispose();
    const counted = [
      [1, 3],
      ['LABEL_0', 'LABEL_1', 'LABEL_2'],
    ];
    for (const changes of [{}, { num_labels: 3 }, { architectures: ['BertModel'] }, { architectures: 5 }]) {
      expect(await found(changes)).toEqual(counted);
    }
  });

  // Without it, another head might fit, whose logits mean something else.
  test.each<[string, string, object]>([
    ['bert-multi-label', 'bert.pooler.dense.weight', {}],
    ['deberta-v3-entailment', 'pooler.dense.weight', {}],
    ['xlm-roberta-reranker', 'classifier.dense.weight', {}],
    ['xlm-roberta-reranker', 'classifier.out_proj.weight', { id2label: undefined }],
    ['electra-discriminator', 'discriminator_predictions.dense_prediction.weight', {}],
    ['modernbert-fill-mask', 'classifier.weight', { architectures: ['ModernBertForSequenceClassification'] }],
    ['camembert-fill-mask', 'lm_head.dense.weight', {}],
    ['camembert-fill-mask', 'lm_head.decoder.weight', { tie_word_embeddings: false }],
  ])('is refused if the config names it and the file has only a part of it: %s, %s', async (name, missing, changes) => {
    const { config, bytes } = checkpoint(name);
    const { [missing]: _, ...weights } = readSafetensors(bytes);
    const opening = openModel({ config: { ...config, ...changes }, weights, attention });
    await expect(opening).rejects.toThrow(`openModel: expected a tensor '${missing}', got none`);
  });

  test.each<[object, RegExp]>([
    [{ id2label: { 0: 'a', 1: 'b' } }, /'classifier\.weight' of shape \(2, 24\), got \(3, 24\)$/],
    [{ num_labels: 4 }, /'classifier\.weight' of shape \(4, 24\), got \(3, 24\)$/],
    [{ num_labels: 0 }, /config\.num_labels/],
    [{ id2label: { 1: 'a', 2: 'b', 3: 'c' } }, /config\.id2label to have a name for each number from 0 on/],
    [{ id2label: { 0: 1 } }, /config\.id2label/],
    [{ id2label: {} }, /config\.id2label/],
    [{ id2label: 'abc' }, /config\.id2label/],
  ])('is refused where the config says %j', async (changes, message) => {
    const opening = withHead('bert-padded', plain('bert-padded', 'classifier', true), changes);
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.toThrow(RangeError);
  });

  test('cannot generate', async () => {
    const model = await withHead('llama-grouped', plain('llama-grouped', 'score', false));
    await expect(model.generate([1]).next()).rejects.toThrow(
      /a head that predicts tokens \('lm_head\.weight', or config\.tie_word_embeddings to be true\), got one without$/,
    );
    model.dispose();
  });
});

describe('before it takes any memory, openModel refuses', () => {
  const { config, bytes } = checkpoint('llama-grouped');
  const qwen = { ...checkpoint('qwen2').config, use_sliding_window: true, sliding_window: 3 };
  const llama3 = { rope_type: 'llama3', factor: 8, original_max_position_embeddings: 32 };
  const long = { rope_type: 'longrope', factor: 2, original_max_position_embeddings: 32 };
  test.each<[object, RegExp]>([
    [{ rope_scaling: { ...llama3, low_freq_factor: 4, high_freq_factor: 4 } }, /high/i],
    [{ rope_scaling: long }, /config\.rope_scaling\.short_factor/],
    [
      { rope_scaling: { ...long, short_factor: 'abcd', long_factor: [1, 1, 1, 1] } },
      /config\.rope_scaling\.short_factor/,
    ],
    [
      { rope_scaling: { ...long, short_factor: [1, 1, 1, 1], long_factor: [1, null, 1, 1] } },
      /config\.rope_scaling\.long_factor/,
    ],
    [
      { rope_scaling: { ...long, short_factor: [1, 1], long_factor: [1, 1, 1, 1] } },
      /config\.rope_scaling\.short_factor to be a list of 4 /,
    ],
    [{ rope_parameters: { rope_type: 'yarn', factor: 2, beta_fast: 1, beta_slow: 2 } }, /beta/i],
    [{ rope_parameters: { rope_type: 'mrope' } }, /config\.rope_parameters\.rope_type.*got 'mrope'$/],
    [{ rope_scaling: { type: 'linear' } }, /config\.rope_scaling\.factor/],
    [{ rope_theta: -1 }, /config\.rope_theta/],
    [{ ...qwen, max_window_layers: 'few' }, /config\.max_window_layers/],
    [{ ...qwen, max_window_layers: -1 }, /config\.max_window_layers/],
    [{ ...qwen, layer_types: ['full_attention'] }, /config\.layer_types/],
    [{ ...qwen, layer_types: ['full_attention', 'chunked_attention'] }, /config\.layer_types/],
    [{ eos_token_id: ['2'] }, /config\.eos_token_id/],
  ])('%j', async (changes, message) => {
    const before = [allocator.liveBytes, allocator.calls];
    const opening = openModel({ config: { ...config, ...changes }, weights: bytes, attention });
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.toThrow(RangeError);
    expect([allocator.liveBytes, allocator.calls]).toEqual(before);
  });
});

test('memory is freed if onProgress throws', async () => {
  const { config, bytes } = checkpoint('gpt2');
  const opening = (times: number): Promise<Model> =>
    openModel({
      config,
      weights: bytes,
      attention,
      onProgress: () => {
        if (--times < 0) throw new Error('mine');
      },
    });
  (await opening(Infinity)).dispose();
  const live = allocator.liveBytes;
  for (const times of [0, 1, 5, 20]) await expect(opening(times)).rejects.toThrow('mine');
  expect(allocator.liveBytes).toBe(live);
});

test('a generation that is left early, aborted or failed frees its cache', async () => {
  const { config, bytes } = checkpoint('llama-grouped');
  const model = await openModel({ config, weights: bytes, attention });
  for await (const _ of model.generate([1], { maxTokens: 4 })); // allocates a block that stays
  const live = allocator.liveBytes;
  for await (const _ of model.generate([1], {})) break;
  const failing = model.generate([1], {
    hooks: {
      hook_embed: () => {
        throw new Error('mine');
      },
    },
  });
  await expect(failing.next()).rejects.toThrow('mine');
  for (const cache of [{ length: 0, maxLength: 9 }, { length: 'x' }, 5]) {
    const wrong = model.generate([1], { cache: cache as never });
    await expect(wrong.next()).rejects.toThrow(/^generate: expected a cache from createCache/);
  }
  expect(allocator.liveBytes).toBe(live);
  model.dispose();
});

test('token types and positions may be ragged, as tokens may', async () => {
  const model = await withHead('bert-padded', {});
  const rows = [
    [5, 9, 3, 7],
    [8, 4],
  ];
  const options = {
    tokenTypes: [
      [0, 0, 1, 1],
      [0, 1],
    ],
    positions: [
      [3, 2, 1, 0],
      [9, 8],
    ],
  };
  const { hidden } = model.forward(rows, options);
  rows.forEach((row, b) => {
    const alone = model.forward(row, {
      tokenTypes: options.tokenTypes[b]!,
      positions: options.positions[b]!,
    });
    row.forEach((_, t) =>
      rowOf(alone.hidden, t).forEach((x, i) =>
        expect(Math.abs(x - rowOf(hidden, 4 * b + t)[i]!)).toBeLessThan(64 * EPS),
      ),
    );
  });
  for (const tokenTypes of [
    [[0, 0, 1, 1], [0]],
    [
      [0, 1],
      [0, 0, 1, 1],
    ],
    [
      [0, 0, 1],
      [0, 1],
    ],
  ]) {
    expect(() => model.forward(rows, { tokenTypes })).toThrow(/^forward: expected tokenTypes (of shape|with rows)/);
  }
  expect(() =>
    model.forward(rows, {
      tokenTypes: [
        [0, 0, 2, 1],
        [0, 1],
      ],
    }),
  ).toThrow(/\[0, 1\], got 2$/);
  model.dispose();
});
