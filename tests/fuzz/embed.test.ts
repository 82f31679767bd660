/**
 * Random sentence modules, rows and options of `embed`, against the float64 oracle on the model's own hidden states; and
 * values of the wrong kind in each of their fields, which have to be refused by name before anything is computed.
 *
 * FUZZ_CASES sets the number of cases, as for the other functions.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readSafetensors, writeSafetensors } from 'wasm-attention';
import { openModel, type EmbedOptions, type Model, type Pooling, type SentenceModules } from 'wasm-attention/models';
import { checkpoint } from '../models/fixtures.js';
import { sentenceEmbedding } from '../reference/sentenceEmbedding.js';
import { EPS, expectClose } from '../support/close.js';
import { same } from '../support/same.js';
import { Draw } from './draw.js';
import { allocator, attention } from './watched.js';

/** `npm run fuzz` draws 300,000 cases of some sixty functions. */
const RUNS = Math.ceil(Number(process.env.FUZZ_CASES ?? 3000) / 60);

// Positions of every kind, with and without token types; one decoder.
const files = ['st-mean-normalize', 'st-cls', 'mpnet-fill-mask', 'xlm-roberta-reranker', 'nomic-bert', 'gpt2'].map(
  checkpoint,
);

/** sentence-transformers' names of flags, in the order of their vectors; and of modes. */
const POOLINGS: readonly (readonly [flag: string, mode: string, pooling: Pooling])[] = [
  ['pooling_mode_cls_token', 'cls', 'cls'],
  ['pooling_mode_max_tokens', 'max', 'max'],
  ['pooling_mode_mean_tokens', 'mean', 'mean'],
  ['pooling_mode_mean_sqrt_len_tokens', 'mean_sqrt_len_tokens', 'mean_sqrt_len'],
  ['pooling_mode_weightedmean_tokens', 'weightedmean', 'weighted_mean'],
  ['pooling_mode_lasttoken', 'lasttoken', 'last'],
];

interface DrawnDense {
  readonly given: { readonly config: Record<string, unknown>; readonly weights: ArrayBuffer | Uint8Array | Blob };
  readonly weight: number[][];
  readonly bias: number[];
  readonly isTanh: boolean;
}

function drawPooling(draw: Draw, width: number): { pooling: Record<string, unknown>; modes: Pooling[] } {
  const widths = draw.maybe(() => ({ word_embedding_dimension: width, include_prompt: true })) ?? {};
  if (draw.chance(0.5)) {
    const on = POOLINGS.filter(() => draw.chance(0.3));
    const chosen = on.length > 0 ? on : [draw.pick(POOLINGS)];
    const flags = POOLINGS.map((each) => [each[0], chosen.includes(each)] as const);
    // Without its flag the mean is on.
    const written = flags.filter(([flag, isOn]) => isOn || flag === 'pooling_mode_mean_tokens' || draw.chance(0.5));
    return { pooling: { ...widths, ...Object.fromEntries(written) }, modes: chosen.map(([, , pooling]) => pooling) };
  }
  const list = Array.from({ length: draw.integer(1, 3) }, () => draw.pick(POOLINGS));
  const modes = list.map(([, , pooling]) => pooling);
  const names = list.map(([, mode]) => (draw.chance(0.2) ? mode.toUpperCase() : mode));
  return { pooling: { ...widths, pooling_mode: names.length > 1 || draw.chance(0.5) ? names : names[0] }, modes };
}

function drawDense(draw: Draw, inputs: number): DrawnDense {
  const outputs = draw.axis();
  const hasBias = draw.chance(0.5);
  const isTanh = draw.chance(0.5);
  const file = writeSafetensors(
    {
      'linear.weight': draw.numbers([outputs, inputs]),
      ...(hasBias && { 'linear.bias': draw.numbers([outputs]) }),
    },
    draw.maybe(() => ({ weightType: 'float16' as const }), 0.3),
  );
  const { 'linear.weight': weight, 'linear.bias': bias } = readSafetensors(file);
  const config = {
    in_features: inputs,
    out_features: outputs,
    ...((!hasBias || draw.chance(0.5)) && { bias: hasBias }),
    ...((!isTanh || draw.chance(0.5)) && {
      activation_function: isTanh ? 'torch.nn.modules.activation.Tanh' : 'torch.nn.modules.linear.Identity',
    }),
  };
  return {
    given: { config, weights: draw.pick([file, file.buffer, new Blob([file])]) },
    weight: Array.from({ length: outputs }, (_, o) => Array.from(weight!.data.slice(o * inputs, (o + 1) * inputs))),
    bias: bias ? Array.from(bias.data) : new Array<number>(outputs).fill(0),
    isTanh,
  };
}

function drawModules(draw: Draw, hiddens: number) {
  const drawn = draw.maybe(() => drawPooling(draw, hiddens), 0.8);
  const modes: Pooling[] = drawn?.modes ?? ['mean'];
  const dense: DrawnDense[] = [];
  for (let width = modes.length * hiddens; dense.length < 2 && draw.chance(0.4); width = dense.at(-1)!.bias.length) {
    dense.push(drawDense(draw, width));
  }
  const normalize = draw.maybe(() => draw.chance(0.5));
  const given: SentenceModules = {
    ...(drawn && { pooling: drawn.pooling }),
    ...((dense.length > 0 || draw.chance(0.2)) && { dense: dense.map((each) => each.given) }),
    ...(normalize !== undefined && { normalize }),
  };
  return { given, modes, dense, normalize: normalize ?? false };
}

/** Rows of unequal length, or of one length with a mask that has holes anywhere. */
function drawRows(draw: Draw, vocab: number, types: number) {
  const [batch, most] = [draw.integer(1, 4), draw.axis()];
  const isMasked = draw.chance(0.5);
  const lengths = Array.from({ length: batch }, () => (isMasked ? most : draw.integer(1, most)));
  const rows = (max: number) => lengths.map((length) => Array.from({ length }, () => draw.integer(0, max)));
  const ids = rows(vocab - 1);
  const longest = Math.max(...lengths);
  const mask = lengths.map((length) => {
    const row = Array.from({ length: longest }, (_, t) => Number(t < length && (!isMasked || draw.chance(0.6))));
    if (!row.includes(1)) row[draw.integer(0, length - 1)] = 1;
    return row;
  });
  const options: EmbedOptions = {
    ...(isMasked && { attentionMask: mask }),
    ...(types > 1 && draw.chance(0.5) && { tokenTypes: rows(types - 1) }),
  };
  return { ids, mask, options };
}

async function agrees(seed: number, most: number): Promise<void> {
  const draw = new Draw(seed, most);
  const { config, bytes, architecture } = draw.pick(files);
  const { hiddens, vocab, tokenTypes: types } = architecture;
  const { given, modes, dense, normalize } = drawModules(draw, hiddens);
  const before = allocator.liveBytes;
  const model = await openModel({ config, weights: bytes, attention, sentence: given });
  try {
    const { ids, mask, options } = drawRows(draw, vocab, types);
    // Another pooling has to give what the first Dense takes.
    const pooling = draw.maybe(() => draw.pick(POOLINGS)[2]);
    const isOther = pooling !== undefined && (dense.length === 0 || modes.length === 1);
    const chosen = isOther ? [pooling] : modes;
    const width = dense.at(-1)?.bias.length ?? chosen.length * hiddens;
    const dim = draw.maybe(() => draw.integer(1, width), 0.3);
    const scaled = draw.maybe(() => draw.chance(0.5), 0.3);
    const result = model.embed(
      ids,
      draw.options({ ...options, pooling: isOther ? pooling : undefined, dim, normalize: scaled }),
    );
    const { data } = model.forward(ids, options).hidden;
    const vectors = mask.flatMap((row, b) => {
      const tokens = row.map((_, t) => {
        const at = (b * row.length + t) * hiddens;
        return Array.from(data.subarray(at, at + hiddens));
      });
      return sentenceEmbedding(tokens, row, {
        modes: chosen,
        dense,
        dim: dim ?? width,
        normalize: scaled ?? normalize,
      });
    });
    const expected = { data: Float64Array.from(vectors), shape: [ids.length, dim ?? width] };
    // Both are sums in float64, of which one is rounded to float32.
    expectClose(result, expected, { rtol: EPS, atol: EPS });
  } finally {
    model.dispose();
  }
  expect(allocator.liveBytes).toBe(before);
}

const STRANGE: readonly unknown[] = [
  ...[undefined, null, true, false, 0, 1, -1, 0.5, NaN, Infinity, 2 ** 31, 2 ** 53, 1n, Symbol('x'), () => 1],
  ...[
    '',
    'mean',
    'MEAN',
    'Tanh',
    'constructor',
    'sentence_embedding',
    [],
    [null],
    [[]],
    ['mean', 5],
    {},
    { length: 1 },
  ],
  ...[new Map(), new Date(0), new Float32Array(2), new Uint8Array(9), new ArrayBuffer(3), new Blob()],
  Object.create(null) as unknown,
];

/** A value with the one at a path replaced, or left out. */
function withChange(value: unknown, [key, ...rest]: readonly string[], change: unknown, isAbsent: boolean): unknown {
  if (key === undefined) return change;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<string, unknown>;
  if (rest.length === 0 && isAbsent) {
    const others = Object.entries(copy).filter(([name]) => name !== key);
    return Array.isArray(value) ? others.map(([, each]) => each) : Object.fromEntries(others);
  }
  copy[key] = withChange(copy[key], rest, change, isAbsent);
  return copy;
}

describe('embed', () => {
  const [{ config, bytes, architecture }] = files as [(typeof files)[0]];
  const { hiddens } = architecture;
  const ids = [
    [5, 9, 3],
    [7, 2, 0],
  ];
  let model: Model;
  let first: unknown;
  const dense = (inputs: number, outputs: number, seed: number): object => ({
    config: { in_features: inputs, out_features: outputs, bias: true, activation_function: 'torch.nn.Tanh' },
    weights: writeSafetensors({
      'linear.weight': new Draw(seed, 1).numbers([outputs, inputs]),
      'linear.bias': new Draw(seed + 1, 1).numbers([outputs]),
    }),
  });
  const sentence = {
    pooling: {
      ...Object.fromEntries(POOLINGS.map(([flag]) => [flag, flag === 'pooling_mode_cls_token'])),
      word_embedding_dimension: hiddens,
      include_prompt: true,
    },
    dense: [dense(hiddens, 4, 1), dense(4, 3, 2)],
    normalize: true,
  };
  const options = {
    attentionMask: [
      [1, 1, 1],
      [1, 1, 0],
    ],
    tokenTypes: [
      [0, 0, 1],
      [0, 1, 1],
    ],
    pooling: 'max',
    normalize: false,
    dim: 2,
  };
  const embed = (using: Model): unknown => using.embed(ids, options as EmbedOptions);
  const opened = (modules: unknown): Promise<Model> =>
    openModel({ config, weights: bytes, attention, sentence: modules as SentenceModules });

  beforeAll(async () => {
    model = await opened(sentence);
    first = embed(model);
  });

  const seeds = fc.noBias(fc.integer({ min: 0, max: 2 ** 31 - 1 }));
  test('agrees with the oracle', async () => {
    await fc.assert(fc.asyncProperty(seeds, fc.integer({ min: 1, max: 9 }), agrees), { numRuns: RUNS });
  }, 3_600_000);

  const FIELDS = [
    [],
    ...['pooling', 'dense', 'normalize', 'other'].map((name) => [name]),
    ...[...Object.keys(sentence.pooling), 'pooling_mode', 'embedding_dimension'].map((name) => ['pooling', name]),
    ...['0', '1'].flatMap((i) => [
      ['dense', i],
      ...['config', 'weights'].map((name) => ['dense', i, name]),
      ...['in_features', 'out_features', 'bias', 'activation_function', 'module_input_name'].map((name) => [
        ...['dense', i, 'config', name],
      ]),
    ]),
  ];

  /** Where a field may be right in itself, the name of what does not fit it. */
  const misfits = (first: string | undefined, last: string): string[] =>
    first === 'pooling' || last === '0'
      ? ['in_features', 'pooling_mode']
      : last === 'out_features'
        ? ['linear.weight']
        : [];

  test('modules of the wrong kind are refused by name before any memory is taken', async () => {
    let [taken, refused] = [0, 0];
    const property = async (field: readonly string[], strange: unknown, isAbsent: boolean): Promise<void> => {
      const before = [allocator.liveBytes, allocator.calls];
      let other;
      try {
        other = await opened(withChange(sentence, field, strange, isAbsent));
      } catch (error) {
        const { name, message } = error as Error;
        expect(name).toMatch(/^(Range|Type)Error$/);
        expect(message).toMatch(/^openModel(: sentence(\.[\w[\].]+)?)?: expected .+, got /s);
        const last = field.at(-1) ?? 'sentence';
        expect(message).toMatch(RegExp([last.replace(/^\d$/, 'dense'), ...misfits(field[0], last)].join('|')));
        expect([allocator.liveBytes, allocator.calls]).toEqual(before);
        refused += 1;
        return;
      }
      // Some values mean a default, or something else that is right.
      const { data } = other.embed(ids);
      expect(data.every(Number.isFinite)).toBe(true);
      other.dispose();
      expect(allocator.liveBytes).toBe(before[0]);
      taken += 1;
    };
    await fc.assert(fc.asyncProperty(fc.constantFrom(...FIELDS), fc.constantFrom(...STRANGE), fc.boolean(), property), {
      numRuns: 4 * RUNS,
    });
    expect(same(embed(model), first)).toBe(true);
    expect(refused).toBeGreaterThan(taken);
  }, 3_600_000);

  test('options of the wrong kind are refused by name, or do no harm', () => {
    let [taken, refused] = [0, 0];
    const before = allocator.liveBytes;
    const property = (field: string, strange: unknown, isAbsent: boolean): void => {
      const given = { ids, ...options };
      const { ids: rows, ...others } = withChange(
        given,
        field === '' ? [] : [field],
        strange,
        isAbsent,
      ) as typeof given;
      try {
        const once = model.embed(rows, others as EmbedOptions);
        expect(same(model.embed(rows, others as EmbedOptions), once)).toBe(true);
        taken += 1;
      } catch (error) {
        const { name, message } = error as Error;
        expect(name).toMatch(/^(Range|Type)Error$/);
        expect(message).toMatch(/^embed(\.\w+)?: expected .+, got /s);
        // Ids may be right, but not have the mask's shape.
        expect(message).toMatch(RegExp(field === 'ids' ? 'ids|attentionMask' : field));
        refused += 1;
      }
      expect(allocator.liveBytes).toBe(before);
      expect(same(embed(model), first)).toBe(true);
    };
    const fields = ['ids', ...Object.keys(options), 'other'];
    fc.assert(fc.property(fc.constantFrom(...fields), fc.constantFrom(...STRANGE), fc.boolean(), property), {
      numRuns: 4 * RUNS,
    });
    expect(refused).toBeGreaterThan(taken / 2);
  }, 3_600_000);
});
