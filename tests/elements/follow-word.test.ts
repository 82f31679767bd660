import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Tokenizer } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { readSafetensors, type Tensor } from 'wasm-attention';
import { openModel, type Model } from 'wasm-attention/models';
import { followCode } from '../../web/elements/follow-word/code.js';
import { MOST, SAMPLES, settings } from '../../web/elements/follow-word/settings.js';
import { candidatesOf, looksOf, trace, type Focus } from '../../web/elements/follow-word/trace.js';
import { LANGUAGES } from '../../web/elements/languages.js';
import { attention } from '../support/library.js';
import { readProse } from '../support/proseFiles.js';
import { runModule } from '../support/runModule.js';

const FOLDER = 'web/elements/shared/story/stories260K';
const json = (file: string): object => JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8')) as object;
const NOT_MOVED: ReadonlyMap<number, number> = new Map();
const [WIDTH, HEADS, HEAD_WIDTH] = [64, 8, 8];

let model: Model;
let tokenizer: Tokenizer;
let weights: Record<string, Tensor>;
let tokens: number[];
beforeAll(async () => {
  const file = readFileSync(`${FOLDER}/model.safetensors`);
  model = await openModel({ config: json('config.json'), weights: file, attention });
  weights = readSafetensors(file);
  tokenizer = new Tokenizer(json('tokenizer.json'), json('tokenizer_config.json'));
  tokens = tokenizer.encode(SAMPLES[0]).ids;
});
afterAll(() => model.dispose());

/** In float64, the row of a matrix. */
const rowOf = (name: string, row: number): number[] => {
  const { data, shape } = weights[`model.${name}.weight`]!;
  return Array.from(data.subarray(row * shape[1]!, (row + 1) * shape[1]!));
};
const times = (name: string, from: number, count: number, x: readonly number[]): number[] =>
  Array.from({ length: count }, (_, i) => rowOf(name, from + i).reduce((sum, w, j) => sum + w * x[j]!, 0));

/** What the first layer's attention reads of a token. */
function normed(token: number): number[] {
  const x = rowOf('embed_tokens', token);
  const size = Math.sqrt(x.reduce((sum, value) => sum + value * value, 0) / WIDTH + 1e-5);
  const gains = weights['model.layers.0.input_layernorm.weight']!.data;
  return x.map((value, i) => (value / size) * gains[i]!);
}

/** Llama's rotation of pairs of numbers that are half a head apart. */
function rotated(x: readonly number[], position: number): number[] {
  const half = HEAD_WIDTH / 2;
  return x.map((value, i) => {
    const angle = position * 10000 ** ((-2 * (i % half)) / HEAD_WIDTH);
    const other = i < half ? -x[i + half]! : x[i - half]!;
    return value * Math.cos(angle) + other * Math.sin(angle);
  });
}

function softmax(scores: readonly number[]): number[] {
  const most = Math.max(...scores);
  const shares = scores.map((score) => Math.exp(score - most));
  const sum = shares.reduce((a, b) => a + b, 0);
  return shares.map((share) => share / sum);
}

/** Numbers up to about 20, after a few hundred float32 operations, some of them at reduced precision. */
function expectNear(found: ArrayLike<number>, wanted: readonly number[], scale = 20): void {
  expect(found.length).toBe(wanted.length);
  const off = wanted.map((value, i) => Math.abs(value - found[i]!));
  expect(Math.max(...off)).toBeLessThan(256 * 2 ** -24 * scale);
}

describe('a trace', () => {
  test.each([
    [8, 1],
    [8, 4],
    [2, 7],
    [11, 8],
  ])('of word %i in head %i of the first layer has the numbers of its formulas', (word, head) => {
    const found = trace(model, tokens, { word, layer: 1, head, moved: NOT_MOVED });
    const at = word - 1;
    // Two heads share their keys and values.
    const shared = Math.floor((head - 1) / 2) * HEAD_WIDTH;
    const inputs = tokens.map(normed);
    const attn = 'layers.0.self_attn';
    const keys = inputs.map((x) => times(`${attn}.k_proj`, shared, HEAD_WIDTH, x));
    const values = inputs.map((x) => times(`${attn}.v_proj`, shared, HEAD_WIDTH, x));
    const query = times(`${attn}.q_proj`, (head - 1) * HEAD_WIDTH, HEAD_WIDTH, inputs[at]!);
    const scores = keys
      .slice(0, word)
      .map((key, j) => rotated(key, j).reduce((sum, k, i) => sum + k * rotated(query, at)[i]!, 0) / Math.sqrt(8));
    const shares = softmax(scores);
    const mixture = query.map((_, i) => shares.reduce((sum, share, j) => sum + share * values[j]![i]!, 0));

    expectNear(found.input, rowOf('embed_tokens', tokens[at]!), 1);
    expectNear(found.query.before, query);
    expectNear(found.query.after, rotated(query, at));
    expectNear(found.key.before, keys[at]!);
    expectNear(found.key.after, rotated(keys[at]!, at));
    found.keys.forEach((key, j) => expectNear(key, rotated(keys[j]!, j)));
    found.values.forEach((value, j) => expectNear(value, values[j]!));
    expectNear(found.scores, scores, 100);
    expectNear(found.weights, shares);
    expectNear(found.mixture, mixture);
    expectNear(found.joined.subarray((head - 1) * HEAD_WIDTH, head * HEAD_WIDTH), mixture);
    expectNear(found.output, times(`${attn}.o_proj`, 0, WIDTH, Array.from(found.joined)));
  });

  test('has the logits and the weights of a pass, in every layer and head', () => {
    const { logits, weights: maps } = model.forward(tokens, { needWeights: true });
    const vocabulary = logits!.shape.at(-1)!;
    for (let layer = 1; layer <= model.numLayers; ++layer) {
      for (let head = 1; head <= HEADS; ++head) {
        const found = trace(model, tokens, { word: 5, layer, head, moved: NOT_MOVED });
        // Hooks split the pass, which changes the order of sums.
        expectNear(found.logits, Array.from(logits!.data.subarray(4 * vocabulary, 5 * vocabulary)));
        found.maps.forEach((map, l) => expectNear(map, Array.from(maps![l]!.data), 1));
        const row = ((head - 1) * tokens.length + 4) * tokens.length;
        expect(found.weights).toEqual(found.maps[layer - 1]!.slice(row, row + 5));
      }
    }
  });

  test('of a layer after the first begins with what the layers before have added', () => {
    const { hiddenStates } = model.forward(tokens, { needHiddenStates: true });
    const { input } = trace(model, tokens, { word: 5, layer: 3, head: 1, moved: NOT_MOVED });
    expect(input).toEqual(hiddenStates![2]!.data.slice(4 * WIDTH, 5 * WIDTH));
  });

  const focus: Focus = { word: 8, layer: 5, head: 4, moved: NOT_MOVED };

  test('follows from moved scores: the weights, the mixture and the next token', () => {
    const plain = trace(model, tokens, focus);
    const moved = new Map([
      [2, 6.5],
      [5, -3],
    ]);
    const found = trace(model, tokens, { ...focus, moved });
    const scores = Array.from(plain.scores, (score, j) => moved.get(j + 1) ?? score);
    expect([...found.scores]).toEqual(scores);
    const shares = softmax(scores);
    expectNear(found.weights, shares);
    expectNear(
      found.mixture,
      Array.from(found.mixture, (_, i) => shares.reduce((sum, share, j) => sum + share * found.values[j]![i]!, 0)),
    );
    // Other heads, and what comes before, stay as they are. Moved scores split the pass, which changes the order of sums.
    expect(found.query).toEqual(plain.query);
    expectNear(found.joined.subarray(0, 3 * HEAD_WIDTH), Array.from(plain.joined.subarray(0, 3 * HEAD_WIDTH)));
    expect(found.logits).not.toEqual(plain.logits);
  });

  test('stays as it is with scores moved to where they were, and with scores of masked words', () => {
    const plain = trace(model, tokens, focus);
    const same = new Map(Array.from(plain.scores, (score, j) => [j + 1, score] as const));
    expect(trace(model, tokens, { ...focus, moved: same })).toEqual(plain);
    expect(trace(model, tokens, { ...focus, moved: new Map([[9, 8]]) })).toEqual(plain);
  });
});

test('candidates are the softmax of logits that the temperature divides, the most likely first', () => {
  const logits = fc.array(fc.float({ min: -30, max: 30, noNaN: true }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(logits, fc.double({ min: 0.2, max: 2, noNaN: true }), (values, temperature) => {
      const found = candidatesOf(Float32Array.from(values), temperature);
      const shares = softmax(values.map((value) => Math.fround(value) / temperature));
      expect(found.map(({ token }) => token).sort((a, b) => a - b)).toEqual(values.map((_, i) => i));
      for (const { token, share } of found) expect(share).toBeCloseTo(shares[token]!, 10);
      expect(found.map(({ share }) => share)).toEqual(found.map(({ share }) => share).sort((a, b) => b - a));
    }),
  );
});

describe('where a head looks', () => {
  /** A map of four words in which head 2 gives most weight to the places `most`. */
  const mapOf = (most: readonly number[]): Float32Array => {
    const map = new Float32Array(2 * 16);
    most.forEach((key, row) => {
      map.fill(0.1, 16 + 4 * row, 16 + 4 * row + row + 1);
      map[16 + 4 * row + key] = 0.6;
    });
    return map;
  };

  test.each([
    ['one back', [0, 0, 1, 2], { all: 2, before: 2, first: 0 }],
    ['at the first token', [0, 0, 0, 0], { all: 2, before: 0, first: 2 }],
    ['at itself', [0, 1, 2, 3], { all: 2, before: 0, first: 0 }],
    ['at either', [0, 0, 1, 0], { all: 2, before: 1, first: 1 }],
  ])('%s is counted from the third word on', (_, most, expected) => {
    expect(looksOf(mapOf(most), 2, 4)).toMatchObject(expected);
  });

  test.each([1, 2])('a text of %i words has none, which is not enough', (count) => {
    const { before, all, enough } = looksOf(new Float32Array(8 * count * count), 1, count);
    expect([before, all, enough]).toEqual([0, 0, 3]);
  });

  test('the goals can be reached with the first sentence, and not by the head that is shown first', () => {
    const { layer, head, word } = settings;
    const { maps } = trace(model, tokens, {
      word: word.initial,
      layer: layer.initial,
      head: head.initial,
      moved: NOT_MOVED,
    });
    const found = maps.flatMap((map, l) =>
      Array.from({ length: HEADS }, (_, h) => ({ name: `${l + 1}.${h + 1}`, ...looksOf(map, h + 1, tokens.length) })),
    );
    const reach = (goal: 'before' | 'first'): string[] =>
      found.filter((looks) => looks[goal] >= looks.enough).map(({ name }) => name);
    for (const goal of ['before', 'first'] as const) {
      expect(reach(goal).length).toBeGreaterThan(0);
      expect(reach(goal)).not.toContain(`${layer.initial}.${head.initial}`);
    }
    // One bar changes the next token in the head that is shown first.
    const top = (moved: ReadonlyMap<number, number>): number => {
      const focus = { word: word.initial, layer: layer.initial, head: head.initial, moved };
      return candidatesOf(trace(model, tokens, focus).logits, 1)[0]!.token;
    };
    const others = Array.from({ length: word.initial }, (_, j) => top(new Map([[j + 1, 8]])));
    expect(others.some((token) => token !== top(NOT_MOVED))).toBe(true);
  });
});

test.each(LANGUAGES)('the section in %s begins with a word that looks at the one that it means', (language) => {
  const tag = /<follow-word [^>]*>/.exec(readProse(language))![0];
  const given = (name: string): string => new RegExp(` ${name}="([^"]*)"`).exec(tag)![1]!;
  const { ids } = tokenizer.encode(given('text'));
  const focus = { word: Number(given('word')), layer: Number(given('layer')), head: Number(given('head')) };
  const { weights: looks, logits } = trace(model, ids, { ...focus, moved: NOT_MOVED });
  const decoded = (token: number): string => tokenizer.decode([token]).trim();
  expect(decoded(ids[focus.word - 1]!)).toBe('her');
  const looked = Array.from(looks).indexOf(Math.max(...looks));
  expect(tokenizer.decode(ids.slice(looked - 1, looked + 2))).toContain('doll');
  expect(decoded(candidatesOf(logits, 1)[0]!.token)).toBe('do');
});

test('sentences fit', () => {
  for (const text of SAMPLES) expect(tokenizer.encode(text).ids.length).toBeLessThan(MOST);
});

test.each([
  ['3=1.5', [[3, 1.5]]],
  [
    '3=-1.5 20=0',
    [
      [3, -1.5],
      [20, 0],
    ],
  ],
  ['', []],
  ['0=1', undefined],
  ['21=1', undefined],
  ['3=41', undefined],
  ['3=1.5.2', undefined],
  ['3', undefined],
])('moved bars in a link: %j', (text, bars) => {
  expect(settings.moved.read(text)).toEqual(bars);
  if (bars !== undefined) expect(settings.moved.write(bars as [number, number][])).toBe(text);
});

test.each([
  [NOT_MOVED],
  [
    new Map([
      [3, 2.5],
      [8, -1],
    ]),
  ],
])('the code prints the weights, the mixture and the share of the next token', async (moved) => {
  const focus = { word: 8, layer: 2, head: 5, moved };
  const { javascript } = followCode({ tokens, temperature: 0.7, ...focus });
  const lines = await runModule(javascript.replace("'stories260K'", JSON.stringify(resolve(FOLDER))));
  const found = trace(model, tokens, focus);
  const numbers = lines.map((line) => line.split(' ').map(Number));
  // Without the words that come later, sums have another order: a few roundings of float32.
  expectNear(numbers[0]!, Array.from(found.weights), 1);
  expectNear(numbers[1]!, Array.from(found.mixture), 2);
  expectNear(numbers[2]!, [candidatesOf(found.logits, 0.7)[0]!.share], 4);
  expect(lines).toHaveLength(3);
});
