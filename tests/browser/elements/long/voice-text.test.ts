/** What the figures with the story model, and the one with patches, say to those who do not see them. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Tokenizer } from '@huggingface/tokenizers';
import type { Locator, Page } from 'playwright-core';
import { readSafetensors } from 'wasm-attention';
import { openModel, type Model } from 'wasm-attention/models';
import { LANGUAGES } from '../../../../web/elements/languages.js';
import { orderOf } from '../../../../web/elements/patch-positions/scene.js';
import { circlesIn, pictureOf, pixelsOf } from '../../../../web/training/patches/pictures.js';
import { siglipClassifier } from '../../../reference/siglipClassifier.js';
import { attention } from '../../../support/library.js';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { heard, listen } from '../../heard.js';

const { open, expectErrors } = useBrowser();
const STORY = 'web/elements/shared/story/stories260K';
const SAVING = "Object.defineProperty(navigator, 'connection', { value: { saveData: true } });";
/** As wide as in the page. */
const WIDE = `document.addEventListener('DOMContentLoaded', () => {
  document.querySelector('main').style.cssText = 'display: block; grid-column: full; padding: 0 1.25rem';
});`;
const json = (file: string): object => JSON.parse(readFileSync(file, 'utf8')) as object;

/** A figure whose stories are written at once. If it is `saving`, it waits for the reader to load the model. */
async function alone(
  tag: string,
  { saving = false, ...options }: Parameters<typeof openAlone>[2] & { readonly saving?: boolean } = {},
): Promise<{ page: Page; figure: Locator }> {
  const script = WIDE + (saving ? SAVING : '');
  const { page, figure } = await openAlone(open, tag, { reducedMotion: 'reduce', script, ...options });
  if (tag === 'language-model' && !saving) await figure.locator('.teller:not([inert])').waitFor();
  return { page, figure };
}

const change = (figure: Locator, settings: object): Promise<void> =>
  figure.evaluate(async (element, to) => {
    const figure = element as unknown as { change(to: object): void; updateComplete: Promise<unknown> };
    figure.change(to);
    // A story begins with one drawing, and ends with the next.
    for (let i = 0; i < 3; ++i) await figure.updateComplete;
  }, settings);
const description = (figure: Locator): Promise<string> =>
  figure.locator('.stage').evaluate((stage) => {
    const root = stage.getRootNode() as ShadowRoot;
    return root.getElementById(stage.getAttribute('aria-describedby')!)!.textContent;
  });
const focused = (figure: Locator): Promise<string | undefined> =>
  figure.evaluate((element) => (element.shadowRoot!.activeElement as HTMLElement | null)?.innerText.trim());
const percent = (share: number, digits = 0): string => `${(100 * share).toFixed(digits)}%`;
/** How long a figure may take to speak, in milliseconds. */
const PAUSE = 700;

/** What a figure shows in five languages, after a change: all different, and complete. */
async function inAllLanguages(tag: string, settings: object): Promise<void> {
  const all: string[] = [];
  for (const language of LANGUAGES) {
    const { figure } = await alone(tag, { language });
    await change(figure, settings);
    all.push(await description(figure));
  }
  for (const text of all) expect(text).toMatch(/^[^{}]{20,}$/);
  expect(new Set(all).size).toBe(LANGUAGES.length);
}

let model: Model;
let tokenizer: Tokenizer;
beforeAll(async () => {
  const weights = readFileSync(`${STORY}/model.safetensors`);
  model = await openModel({ config: json(`${STORY}/config.json`), weights, attention });
  tokenizer = new Tokenizer(json(`${STORY}/tokenizer.json`), json(`${STORY}/tokenizer_config.json`));
});
afterAll(() => model.dispose());

const nameOf = (token: number): string => tokenizer.id_to_token(token)!.replace('▁', '');

/** The three tokens with the largest weights of a row, as a sentence tells them. */
function strongest(tokens: readonly number[], weights: Float32Array, head: number, at: number, start: string): string {
  const from = ((head - 1) * tokens.length + at) * tokens.length;
  return Array.from(weights.subarray(from, from + tokens.length), (weight, key) => ({ weight, key }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, 3)
    .map(({ weight, key }) => `${key === 0 ? start : `“${nameOf(tokens[key]!)}”`} ${weight.toFixed(2)}`)
    .join(', ');
}

describe('follow-word', () => {
  const TEXT = 'Lily and her mom saw a very big dog';

  test.each([
    { layer: 1, head: 1, word: 8, temperature: 1 },
    { layer: 2, head: 7, word: 11, temperature: 1 },
    { layer: 4, head: 3, word: 5, temperature: 0.5 },
  ])('says what the word looks at and what comes next: %j', async (settings) => {
    const { layer, head, word, temperature } = settings;
    const { figure } = await alone('follow-word');
    await change(figure, settings);
    const tokens = tokenizer.encode(TEXT).ids;
    const { weights } = model.forward(tokens, { needWeights: true });
    const { data } = model.forward(tokens.slice(0, word), { lastOnly: true }).logits!;
    const powers = Array.from(data, (logit) => Math.exp(logit / temperature));
    const most = powers.indexOf(Math.max(...powers));
    const share = powers[most]! / powers.reduce((a, b) => a + b);
    const looks = strongest(tokens, weights![layer - 1]!.data, head, word - 1, '“start”');
    expect(await description(figure)).toBe(
      `Layer ${layer}, head ${head}: “${nameOf(tokens[word - 1]!)}” attends most to ${looks}. ` +
        `Most likely next token: “${nameOf(most)}” (${percent(share)}).`,
    );
    expect(await figure.locator('.readout').innerText()).toBe(await description(figure));
  });

  test('in all languages', () => inAllLanguages('follow-word', { word: 3 }));

  test('speaks once for a key that changes anything', async () => {
    const { page, figure } = await alone('follow-word');
    const presses: [focus: string, key: string, says: RegExp][] = [
      ['.sentence [aria-checked=true]', 'ArrowLeft', /^Layer 1, head 1: “a” attends most to /],
      ['.heads [aria-checked=true]', 'ArrowRight', /^Layer 1, head 2: “a” attends most to /],
      ['.rows input[tabindex="0"]', 'End', /^“start”: score 8.0, weight \d+% \(unchanged: \d+%\)\. Most likely /],
      ['.rows tfoot button', 'Enter', /^Layer 1, head 2: “a” attends most to /],
      ['#temperature', 'ArrowLeft', /Most likely next token: “.+” \(\d+%\)\.$/],
      ['.next button', 'Enter', /^Layer 1, head 2: “.+” attends most to /],
      ['.tools button', 'Enter', /^Layer 1, head 1: “very” attends most to /],
    ];
    for (const [focus, key, says] of presses) {
      await figure.locator(focus).first().focus();
      const said = await heard(page, () => page.keyboard.press(key));
      expect(said).toEqual([expect.stringMatching(says)]);
    }
  });

  test('the steps, and the candidates for the next token, are a tab stop each', async () => {
    for (const width of [1280, 390]) {
      const { page, figure } = await alone('follow-word', { viewport: { width, height: 844 } });
      const stops = figure.locator('.badge[tabindex="0"]:visible, .next [tabindex="0"]:visible');
      const step = figure.locator('button.badge[tabindex="0"]:visible');
      expect(await step.count()).toBe(1);
      await step.focus();
      for (let i = 1; i < 6; ++i) await page.keyboard.press('ArrowRight');
      expect(await focused(figure)).toBe('6');
      expect(await stops.count()).toBe(2);
      await figure.locator('.next [tabindex="0"]').focus();
      await page.keyboard.press('End');
      expect(await focused(figure)).toBe('Let chance choose');
    }
  });

  test('the symbols are one tab stop, and say what they denote by their names, and when pressed', async () => {
    const { page, figure } = await alone('follow-word');
    expect(await figure.locator('.symbol').count()).toBeGreaterThan(10);
    expect(await figure.locator('.symbol[tabindex="0"]').count()).toBe(1);
    await figure.locator('.symbol').first().focus();
    const moving = await heard(page, async () => {
      for (const key of ['ArrowRight', 'ArrowRight', 'Tab']) await page.keyboard.press(key);
    });
    expect(moving).toEqual([]);
    const key = figure.getByRole('button', { name: 'k, the key of each word' }).first();
    expect(await heard(page, () => key.press('Enter'))).toEqual([
      `k, the key of each word ${await description(figure)}`,
    ]);
  });

  test('the focus stays when the bars are put back and when nothing more fits, which is said', async () => {
    const { page, figure } = await alone('follow-word');
    await change(figure, { moved: [[2, 3]] });
    await figure.getByRole('button', { name: 'Put the bars back' }).press('Enter');
    expect(await figure.evaluate((element) => element.shadowRoot!.activeElement?.localName)).toBe('input');
    await change(figure, { text: 'word '.repeat(40), word: 20 });
    await page.waitForTimeout(PAUSE);
    const full = await heard(page, () => figure.locator('.next button').first().press('Enter'));
    expect(full).toEqual([expect.stringMatching(/^Only the first 20 tokens fit here\. Layer 1, head 1: /)]);
  });

  test('marks the quoted tokens as English, but not the name of the first one', async () => {
    const { figure } = await alone('follow-word', { language: 'tr' });
    await change(figure, { word: 2 });
    expect(await description(figure)).toMatch(/“başlangıç” 0,\d\d/);
    const quoted = await figure.locator('.readout [lang=en]').allInnerTexts();
    expect(quoted.slice(0, 2)).toEqual(['Lily', expect.any(String)]);
    expect(quoted).not.toContain('başlangıç');
  });

  test('keeps the focus while the model is loaded on request, and speaks once', async () => {
    const { page, figure } = await alone('follow-word', { saving: true });
    const end = await listen(page);
    await figure.getByRole('button', { name: 'Load the model' }).press('Enter');
    await figure.locator('.board').waitFor();
    await page.waitForTimeout(PAUSE);
    expect((await end()).map(({ text }) => text)).toEqual([await description(figure)]);
    expect(await focused(figure)).toBe('very');
  });
});

describe('language-model', () => {
  /** A story, with a whole pass for each token. */
  function story(options: object, steps: number): number[] {
    const tokens = tokenizer.encode('Once upon a time').ids;
    for (let i = 0; i < steps; ++i) {
      const { data } = model.forward(tokens, { lastOnly: true, ...options }).logits!;
      tokens.push(data.indexOf(Math.max(...data)));
    }
    return tokens;
  }
  /** The geometric mean of the probabilities that the model as trained gives to what follows the first tokens. */
  function likelihood(tokens: readonly number[], given: number): number {
    const { data, shape } = model.forward(tokens).logits!;
    const logs = tokens.slice(given).map((token, i) => {
      const row = Array.from(data.subarray((given + i - 1) * shape.at(-1)!, (given + i) * shape.at(-1)!), Math.exp);
      return Math.log(row[token]! / row.reduce((a, b) => a + b));
    });
    return Math.exp(logs.reduce((a, b) => a + b) / logs.length);
  }
  function repetition(tokens: readonly number[], given: number): number {
    const seen = new Set<string>();
    let repeats = 0;
    tokens.forEach((_, at) => {
      if (at < 3) return;
      const four = tokens.slice(at - 3, at + 1).join();
      if (at >= given && seen.has(four)) ++repeats;
      seen.add(four);
    });
    return repeats / (tokens.length - given);
  }
  const endOf = (tokens: number[]): string =>
    tokenizer
      .decode(tokens, { skip_special_tokens: true })
      .trim()
      .split(/\s+/)
      .slice(-8)
      .join(' ')
      .replace(/(..+?)\1\1+/g, '$1$1…')
      .slice(-60);

  test.each([
    [{ steps: 20 }, undefined, {}],
    [{ steps: 60, positions: false }, 'Without order: the story is broken.', { positions: 'none' }],
    [{ steps: 30, silent: ['1.1'] }, '1 of 40 heads silent: not broken yet.', { ablate: [[0, 0]] }],
  ])('says how the story ends, and what has become of it: %j', async (settings, verdict, options) => {
    const { figure } = await alone('language-model');
    await change(figure, settings);
    const [plain, now] = [story({}, settings.steps), story(options, settings.steps)];
    const given = plain.length - settings.steps;
    const said =
      verdict === undefined
        ? []
        : [
            verdict,
            `The model as trained gives its tokens ${percent(likelihood(now, given))} on average, and`,
            `${percent(likelihood(plain, given))} to those of its own story; ${percent(repetition(now, given))} of it is repetition.`,
          ];
    expect(await description(figure)).toBe([...said, `The story ends: “${endOf(now)}”.`].join(' '));
  });

  test('in all languages', () => inAllLanguages('language-model', { positions: false, word: 9 }));

  test('speaks once, when the story is written, and says which goal is reached', async () => {
    const { page, figure } = await alone('language-model', { reducedMotion: 'no-preference' });
    await figure.locator('.story', { hasText: '…' }).waitFor();
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await figure.locator('.story', { hasText: '…' }).waitFor();
    await page.waitForTimeout(PAUSE);
    const end = await listen(page);
    await figure.getByLabel('The model knows where words stand').press('Space');
    await figure.locator('.story', { hasText: '…' }).nth(1).waitFor();
    await page.waitForTimeout(PAUSE);
    expect((await end()).map(({ text }) => text)).toEqual([
      `reached: Break the story by taking its order away. ${await description(figure)}`,
    ]);
  });

  test('from word to word and from head to head, says only what the word looks at', async () => {
    const { page, figure } = await alone('language-model');
    await change(figure, { positions: false, word: 8, layer: 2, head: 4, steps: 20 });
    await page.waitForTimeout(PAUSE);
    const tokens = story({ positions: 'none' }, 20);
    const { weights } = model.forward(tokens, { needWeights: true, positions: 'none' });
    const looks = (head: number, at: number): string =>
      `Layer 2, head ${head}: “${nameOf(tokens[at]!)}” attends most to ` +
      `${strongest(tokens, weights![1]!.data, head, at, 'the start of the text')}.`;
    await figure.locator('.story').nth(1).focus();
    const word = await heard(page, () => page.keyboard.press('ArrowRight'));
    expect(word).toEqual([looks(4, 8)]);
    // Its description has the story, too.
    expect(await description(figure)).toMatch(/^Without order: .* The story ends: /);
    await figure.getByRole('button', { name: 'Layer 2, head 4', exact: true }).focus();
    const head = await heard(page, () => page.keyboard.press('ArrowRight'));
    expect(head).toEqual([looks(5, 8)]);
    expect(await figure.locator('.layer[tabindex="0"]').count()).toBe(1);
    const silenced = await heard(page, () => page.keyboard.press('Enter'));
    expect(silenced.map((text) => text.startsWith('Without order, 1 of 40 heads silent: '))).toEqual([true]);
    await figure.getByRole('button', { name: 'Silence layer 2' }).focus();
    await page.keyboard.press('ArrowUp');
    const layer = await heard(page, () => page.keyboard.press('Enter'));
    expect(layer.map((text) => text.startsWith('Without order, 9 of 40 heads silent: '))).toEqual([true]);
  });

  test('quotes as the language does', async () => {
    const { figure } = await alone('language-model', { language: 'ko' });
    await change(figure, { word: 9 });
    expect(await description(figure)).toMatch(/‘.*’/);
    expect(await description(figure)).not.toMatch(/[“”]/);
  });

  test('a story describes itself, and what is quoted of it is marked as English', async () => {
    const { figure } = await alone('language-model', { language: 'pt' });
    await change(figure, { word: 9 });
    const story = figure.locator('#plain');
    expect(await figure.locator('.story:has(#plain)').getAttribute('aria-describedby')).toBe('plain');
    expect(await story.getAttribute('aria-label')).toBe(null);
    const quoted = await figure.locator('.readout [lang=en]').allInnerTexts();
    expect(quoted.length).toBeGreaterThan(1);
    for (const token of quoted) expect(await story.innerText()).toContain(token);
  });

  test('one button loads and sends, so it keeps the focus; that loading failed is an alert', async () => {
    const { page, figure } = await alone('language-model', { saving: true });
    await page.route('**/story-files-*', (route) => route.abort());
    const load = figure.getByRole('button', { name: 'Load the model' });
    await load.press('Enter');
    await figure.getByRole('alert').filter({ hasText: 'The model could not be loaded.' }).waitFor();
    expectErrors(/^failed: .*story-files|ERR_FAILED/);
    expect(await focused(figure)).toBe('Load the model');
    await page.unroute('**/story-files-*');
    const end = await listen(page);
    await load.press('Enter');
    await figure.locator('.story', { hasText: '…' }).waitFor();
    await page.waitForTimeout(PAUSE);
    expect((await end()).map(({ text }) => text)).toEqual([await description(figure)]);
    expect(await focused(figure)).toBe('Send this');
  });

  test('says that a beginning is too long', async () => {
    const { page, figure } = await alone('language-model');
    const said = await heard(page, () => figure.getByRole('textbox').fill('word '.repeat(100)));
    expect(said).toEqual([
      expect.stringMatching(/^The model reads only the first 48 tokens of this beginning\. The story/),
    ]);
  });
});

describe('patch-positions', () => {
  const FOLDER = 'web/elements/patch-positions';
  const { vision_config: sizes } = json(`${FOLDER}/with-positions/config.json`) as {
    vision_config: Parameters<typeof siglipClassifier>[0];
  };
  const tensors = (name: string) => readSafetensors(readFileSync(`${FOLDER}/${name}/model.safetensors`));
  const models = { yes: tensors('with-positions'), no: tensors('without-positions') };

  /** What a model answers in float64, as a sentence tells it. */
  function answer({ positions = true, order = 0, seed = 24 }): { whole: number; said: string; mark: string } {
    const { pieces, stroke } = pictureOf(seed);
    const picture = { pieces: orderOf(order).map((patch) => pieces[patch]!), stroke };
    const { logits } = siglipClassifier(sizes, models[positions ? 'yes' : 'no'], pixelsOf(picture));
    const powers = Array.from(logits, Math.exp);
    const found = powers.indexOf(Math.max(...powers));
    const whole = circlesIn(picture).length;
    const share = powers[found]! / powers.reduce((a, b) => a + b);
    return { whole, said: `${found} (${percent(share, 1)})`, mark: found === whole ? 'right' : 'wrong' };
  }

  test.each([{}, { order: 3 }, { positions: false, seed: 25 }])(
    'says what is there, what the model answers, and whether that is right: %j',
    async (settings) => {
      const { figure } = await alone('patch-positions');
      await change(figure, settings);
      const { whole, said, mark } = answer(settings);
      const shown = await description(figure);
      expect(shown).toContain(`Whole circles: ${whole}. The model’s answer: ${said}, ${mark}. `);
      // The visible lines say the same.
      for (const line of await figure.locator('.readout').allInnerTexts()) expect(shown).toContain(line);
    },
  );

  test('in all languages', () => inAllLanguages('patch-positions', { order: 2, positions: false }));

  test('speaks once for a key, and says what the answer was before', async () => {
    const { page, figure } = await alone('patch-positions');
    const shuffled = await heard(page, () => figure.getByRole('button', { name: 'Shuffle' }).press('Enter'));
    expect(shuffled).toEqual([`${await description(figure)} Before: ${answer({}).said}.`]);
    const blind = await heard(page, () => figure.getByLabel('positional encoding').press('Space'));
    expect(blind).toEqual([`${await description(figure)} Before: ${answer({ order: 1 }).said}.`]);
    // The answer stays, so it has no other before.
    const again = await heard(page, () => figure.getByRole('button', { name: 'Shuffle' }).press('Enter'));
    expect(again).toEqual([await description(figure)]);
  });

  test('from patch to patch, first says where the patch lies, what is on it, and what it attends to', async () => {
    const { page, figure } = await alone('patch-positions');
    expect(await description(figure)).toMatch(/^Whole circles: /);
    await figure.locator('.picture').focus();
    const said = await heard(page, () => page.keyboard.press('ArrowLeft'));
    expect(said).toEqual([await description(figure)]);
    const place = 0;
    const quarters = [
      'empty',
      'upper left quarter',
      'upper right quarter',
      'lower left quarter',
      'lower right quarter',
    ];
    const piece = quarters[pictureOf(24).pieces[place]!]!;
    const attention = await figure.locator('.readout').last().innerText();
    expect(said[0]).toMatch(`Row 1, column 1: ${piece}. ${attention}`);
    expect(said[0]).toMatch(/^Row 1/);
  });
});
