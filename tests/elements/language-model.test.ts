import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Tokenizer } from '@huggingface/tokenizers';
import { readSafetensors, type Tensor } from 'wasm-attention';
import { openModel, type Model } from 'wasm-attention/models';
import { storyCode } from '../../web/elements/language-model/code.js';
import { MOST, Run, type Changes } from '../../web/elements/language-model/run.js';
import type { Writer } from '../../web/elements/shared/story/writer.js';
import { int8 } from '../reference/weightTypes.js';
import { attention } from '../support/library.js';
import { mapsOf } from '../support/mapsOf.js';
import { runModule } from '../support/runModule.js';

const FOLDER = 'web/elements/shared/story/stories260K';
const FIXTURE = 'tests/fixtures/stories260K';
const json = (file: string): object => JSON.parse(readFileSync(file, 'utf8')) as object;
const AS_TRAINED: Changes = { positions: true, window: 0, silent: [] };
const ONCE = [1, 403, 407, 261, 378];

let model: Model;
let writer: Writer;
beforeAll(async () => {
  model = await openModel({
    config: json(`${FOLDER}/config.json`),
    weights: readFileSync(`${FOLDER}/model.safetensors`),
    attention,
  });
  const tokenizer = new Tokenizer(json(`${FOLDER}/tokenizer.json`), json(`${FOLDER}/tokenizer_config.json`));
  writer = {
    model,
    tokensOf: (text) => tokenizer.encode(text).ids,
    textOf: (tokens) => tokenizer.decode([...tokens]),
    pieceOf: (token) => tokenizer.id_to_token(token) ?? '',
    nameOf: (token) => tokenizer.id_to_token(token) ?? '',
  };
});
afterAll(() => model.dispose());

/** Generates greedily, with a whole pass for each token. */
function greedy(beginning: readonly number[], steps: number, options: object): number[] {
  const tokens = [...beginning];
  for (let i = 0; i < steps; ++i) {
    const { data } = model.forward(tokens, { lastOnly: true, ...options }).logits!;
    tokens.push(data.indexOf(Math.max(...data)));
  }
  return tokens;
}

function written(beginning: readonly number[], steps: number, changes: Changes): Run {
  const run = new Run(writer, beginning, changes);
  for (let i = 0; i < steps; ++i) run.write();
  return run;
}

test('the page’s weights are the published ones, with matrices rounded to int8', () => {
  const [small, whole] = [FOLDER, FIXTURE].map((folder) =>
    readSafetensors(readFileSync(`${folder}/model.safetensors`)),
  );
  const rounded = Object.entries(whole!).map(([name, tensor]): [string, Tensor] => [
    name,
    tensor.shape.length === 2 ? int8(tensor) : tensor,
  ]);
  expect(small).toEqual(Object.fromEntries(rounded));
  expect(statSync(`${FOLDER}/model.safetensors`).size).toBeLessThan(
    0.28 * statSync(`${FIXTURE}/model.safetensors`).size,
  );
});

test('they generate the first 181 tokens of the reference program', async () => {
  const { tokens_out: expected } = json(`${FIXTURE}/expected.json`) as { tokens_out: number[] };
  const tokens: number[] = [];
  for await (const token of model.generate([1], { maxTokens: 181 })) tokens.push(token);
  expect(tokens).toEqual(expected.slice(0, 181));
});

describe('a run', () => {
  const cases: [string, Changes, object][] = [
    ['as trained', AS_TRAINED, {}],
    ['without positions', { ...AS_TRAINED, positions: false }, { positions: 'none' }],
    ['with a narrow window', { ...AS_TRAINED, window: 4 }, { window: 4 }],
    [
      'with silent heads',
      { ...AS_TRAINED, silent: ['1.2', '5.8'] },
      {
        ablate: [
          [0, 1],
          [4, 7],
        ],
      },
    ],
    [
      'with all of these',
      { positions: false, window: 6, silent: ['3.3'] },
      { positions: 'none', window: 6, ablate: [[2, 2]] },
    ],
  ];

  test.each(cases)('%s generates the tokens of whole passes, and shows their weights', (_, changes, options) => {
    const run = written(ONCE, 24, changes);
    const tokens = greedy(ONCE, 24, options);
    expect(run.tokens).toEqual(tokens);
    const { weights } = model.forward(tokens, { needWeights: true, ...options });
    const shown = mapsOf(run.heads()).flat();
    const expected = weights!.flatMap(({ data }) => Array.from(data));
    expect(shown).toHaveLength(expected.length);
    // A cache changes the order of sums: a few roundings of float32 through five layers.
    const worst = shown.reduce((most, value, i) => Math.max(most, Math.abs(value - expected[i]!)), 0);
    expect(worst).toBeLessThan(1e-5);
    run.dispose();
  });

  test('ends when it is full', () => {
    const run = written(ONCE, MOST, AS_TRAINED);
    expect(run.tokens).toHaveLength(MOST);
    expect(run.canContinue).toBe(false);
    run.dispose();
  });

  test('names the most likely tokens first, with the softmax of the logits', () => {
    const run = written(ONCE, 3, AS_TRAINED);
    const { data } = model.forward(run.tokens, { lastOnly: true }).logits!;
    const sum = data.reduce((total, logit) => total + Math.exp(logit), 0);
    const all = run.candidates(data.length);
    for (const { token, probability } of all) expect(probability).toBeCloseTo(Math.exp(data[token]!) / sum, 5);
    for (let i = 1; i < all.length; ++i) expect(all[i]!.probability).toBeLessThanOrEqual(all[i - 1]!.probability);
    run.dispose();
  });
});

test.each<[string, Changes]>([
  ['as trained', AS_TRAINED],
  ['with changes', { positions: false, window: 5, silent: ['2.7'] }],
])('the code of the figure %s prints the figure’s tokens', async (_, changes) => {
  const run = written(ONCE, 12, changes);
  const { javascript } = storyCode(ONCE, 12, changes);
  const lines = await runModule(javascript.replace("'stories260K'", JSON.stringify(resolve(FOLDER))));
  expect(lines).toEqual([run.tokens.join(' ')]);
  run.dispose();
});
