import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Tokenizer } from '@huggingface/tokenizers';
import { readSafetensors, type Tensor } from 'wasm-attention';
import { openModel, type Model } from 'wasm-attention/models';
import { storyCode } from '../../web/elements/language-model/code.js';
import { endOf } from '../../web/elements/language-model/line.js';
import { likelihood, repetition, Run, type Changes } from '../../web/elements/language-model/run.js';
import { SAMPLES, STILL } from '../../web/elements/language-model/samples.js';
import { settings } from '../../web/elements/language-model/settings.js';
import type { Writer } from '../../web/elements/shared/story/writer.js';
import { int8 } from '../reference/weightTypes.js';
import { attention } from '../support/library.js';
import { readProse } from '../support/proseFiles.js';
import { runModule } from '../support/runModule.js';

const FOLDER = 'web/elements/shared/story/stories260K';
const FIXTURE = 'tests/fixtures/stories260K';
const json = (file: string): object => JSON.parse(readFileSync(file, 'utf8')) as object;
const AS_TRAINED: Changes = { positions: true, silent: [] };
const LANGUAGES = ['id', 'ko', 'pt', 'tr'];
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
    tokensOf: (text, most) => tokenizer.encode(text).ids.slice(0, most),
    textOf: (tokens) => tokenizer.decode([...tokens], { skip_special_tokens: true }),
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
  const run = new Run(writer, beginning, changes, beginning.length + steps);
  run.write(Infinity);
  return run;
}

test.each(['en', ...LANGUAGES])(
  'the section in %s begins with a word that looks at the name that it stands for',
  (language) => {
    const tag = /<language-model [^>]*>/.exec(readProse(language))![0];
    const [word, layer, head] = ['word', 'layer', 'head'].map((name) =>
      Number(new RegExp(` ${name}="(\\d+)"`).exec(tag)![1]),
    ) as [number, number, number];
    const run = written(ONCE, 20, AS_TRAINED);
    const looks = run.looks(layer, head, word - 1);
    expect(run.pieces[word - 1]!.trim()).toBe('She');
    expect(run.pieces[looks.indexOf(Math.max(...looks))]!.trim()).toBe('Lily');
  },
);

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
    ['with both', { positions: false, silent: ['3.3'] }, { positions: 'none', ablate: [[2, 2]] }],
  ];

  test.each(cases)('%s generates the tokens of whole passes, and has their weights', (_, changes, options) => {
    const run = written(ONCE, 24, changes);
    const tokens = greedy(ONCE, 24, options);
    expect(run.tokens).toEqual(tokens);
    expect(run.pieces.join('')).toBe(writer.textOf(tokens));
    const { weights } = model.forward(tokens, { needWeights: true, ...options });
    let worst = 0;
    weights!.forEach(({ data }, layer) => {
      for (let head = 0; head < model.numHeads; ++head) {
        for (let at = 0; at < tokens.length; ++at) {
          const looks = run.looks(layer + 1, head + 1, at);
          expect(looks).toHaveLength(at + 1);
          const from = (head * tokens.length + at) * tokens.length;
          looks.forEach((weight, i) => (worst = Math.max(worst, Math.abs(weight - data[from + i]!))));
        }
      }
    });
    // A cache changes the order of sums: a few roundings of float32 through five layers.
    expect(worst).toBeLessThan(1e-5);
    run.dispose();
  });

  test('ends when it is full', () => {
    const run = written(ONCE, 30, AS_TRAINED);
    expect(run.tokens).toHaveLength(ONCE.length + 30);
    expect(run.canContinue).toBe(false);
    run.dispose();
  });
});

test('the likelihood of a text is one over the perplexity of what was written', () => {
  const run = written(ONCE, 20, { positions: false, silent: [] });
  const { data } = model.forward(run.tokens).logits!;
  let product = 1;
  for (let at = ONCE.length; at < run.tokens.length; ++at) {
    const shares = Array.from(data.subarray((at - 1) * model.vocabSize, at * model.vocabSize), Math.exp);
    product *= shares[run.tokens[at]!]! / shares.reduce((a, b) => a + b, 0);
  }
  expect(likelihood(writer, run.tokens, ONCE.length)).toBeCloseTo(product ** (1 / 20), 5);
  expect(likelihood(writer, ONCE, ONCE.length)).toBe(1);
  run.dispose();
});

test('what a text repeats are tokens that end four tokens which it already has', () => {
  expect(repetition([1, 2, 3, 4, 5, 6, 7, 8], 0)).toBe(0);
  // The second 4 ends a second "1 2 3 4", and so do 5 and 6 after it.
  expect(repetition([1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6], 6)).toBe(0.5);
  expect(repetition([9, 9, 9, 9, 9, 9, 9, 9], 4)).toBe(1);
  expect(repetition([1, 2], 2)).toBe(0);
});

describe('the samples', () => {
  const storyOf = (text: string): string => {
    const run = written(writer.tokensOf(text, 48), settings.steps.initial, AS_TRAINED);
    const story = run.pieces.join('').trim();
    run.dispose();
    return story;
  };

  test('the still is how the first one goes on', () => {
    expect(STILL.startsWith(SAMPLES[0])).toBe(true);
    expect(storyOf(SAMPLES[0]).startsWith(STILL)).toBe(true);
  });

  test.each(LANGUAGES)('all their whole sentences have a translation in %s, and no others', (language) => {
    const sentences = SAMPLES.flatMap((text) => storyOf(text).match(/[^.!?]+[.!?]+"?/g) ?? []).map((each) =>
      each.trim(),
    );
    const glosses = json(`web/elements/language-model/glosses/${language}.json`);
    expect(new Set(Object.keys(glosses))).toEqual(new Set(sentences));
  });

  test.each(SAMPLES)('%s breaks without positions', (text) => {
    const beginning = writer.tokensOf(text, 48);
    const [plain, broken] = [AS_TRAINED, { ...AS_TRAINED, positions: false }].map((changes) => {
      const run = written(beginning, settings.steps.initial, changes);
      const value = likelihood(writer, run.tokens, beginning.length);
      run.dispose();
      return value;
    });
    expect(plain).toBeGreaterThan(0.45);
    expect(broken).toBeLessThan(0.05);
  });

  test.each(SAMPLES)('as trained, %s goes in no circles', (text) => {
    const beginning = writer.tokensOf(text, 48);
    const run = written(beginning, settings.steps.initial, AS_TRAINED);
    expect(repetition(run.tokens, beginning.length)).toBeLessThan(0.2);
    run.dispose();
  });

  test('a single head makes the fourth one go in circles', () => {
    const beginning = writer.tokensOf(SAMPLES[3], 48);
    const run = written(beginning, settings.steps.initial, { positions: true, silent: ['4.3'] });
    expect(repetition(run.tokens, beginning.length)).toBeGreaterThan(0.5);
    run.dispose();
  });

  test('eight heads break the second one', () => {
    const beginning = writer.tokensOf(SAMPLES[1], 48);
    const silent = ['1.3', '1.5', '1.6', '1.7', '2.2', '2.3', '2.5', '2.8'];
    const run = written(beginning, settings.steps.initial, { positions: true, silent });
    expect(likelihood(writer, run.tokens, beginning.length)).toBeLessThan(0.2);
    run.dispose();
  });
});

test.each<[string, Changes]>([
  ['as trained', AS_TRAINED],
  ['with changes', { positions: false, silent: ['2.7'] }],
])('the code of the figure %s prints the figure’s tokens', async (_, changes) => {
  const run = written(ONCE, 12, changes);
  const { javascript } = storyCode(ONCE, 12, changes);
  const lines = await runModule(javascript.replace("'stories260K'", JSON.stringify(resolve(FOLDER))));
  expect(lines).toEqual([run.tokens.join(' ')]);
  run.dispose();
});

test.each([
  ['Once upon a time there was a little girl named Lily', 'time there was a little girl named Lily'],
  ['the girlowlowlowlow', 'the girlowlow…'],
  ['he was so so so so so happy', 'he was so so… happy'],
  ['wait... what?', 'wait... what?'],
])('the end of %j is told as %j', (text, end) => expect(endOf({ pieces: [text] })).toBe(end));
