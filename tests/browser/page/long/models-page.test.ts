import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { JSHandle, Locator, Page } from 'playwright-core';
import { violationsOf, widthOf } from '../../alone.js';
import { useBrowser } from '../../browser.js';

const { open, expectErrors } = useBrowser();
const FIXTURES = join(import.meta.dirname, '../../../fixtures');
const BERT = join(FIXTURES, 'models/bert-padded');
const STORIES = join(FIXTURES, 'stories260K');

async function explorer(options: Parameters<typeof open>[0] = {}): Promise<{ page: Page; figure: Locator }> {
  const page = await open({ path: '/en/models/', figures: [], ...options });
  const figure = page.locator('model-explorer');
  await figure.locator('.drop').waitFor();
  return { page, figure };
}

/** Chooses files as a reader does. */
async function give(figure: Locator, files: Parameters<Locator['setInputFiles']>[0]): Promise<void> {
  const input = figure.locator('input[multiple]');
  await input.evaluate((element: HTMLInputElement) => (element.webkitdirectory = false));
  await input.setInputFiles(files);
}

/** Opens the small model, and waits for its first pass. */
async function openStories(figure: Locator): Promise<void> {
  await figure.getByRole('button', { name: 'Try the small model stories260K' }).click();
  await figure.locator('head-viewer[drawn]').waitFor();
}

/** The number of hatched runs of masked keys on the large map. */
const hatched = (figure: Locator): Promise<number> =>
  figure.locator('head-viewer heat-map [fill="url(#hatch)"]').count();
const status = (figure: Locator): Locator => figure.locator('.status');

describe('the models page', () => {
  test('asks for a folder', async () => {
    const { page, figure } = await explorer();
    const asked = page.waitForEvent('filechooser');
    await figure.getByRole('button', { name: 'Choose a folder' }).click();
    expect(await (await asked).element().getAttribute('webkitdirectory')).toBe('');
  });

  test('opens the small model, shows its heads, and continues the text', async () => {
    const { page, figure } = await explorer();
    await figure.getByRole('button', { name: 'Try the small model stories260K' }).click();
    await figure.locator('head-viewer[drawn]').waitFor();
    expect(await status(figure).innerText()).toBe(
      'stories260K: llama, layers: 5, heads per layer: 8, 260 thousand parameters',
    );
    expect(await figure.locator('.next dt').first().innerText()).toBe('␣Lily');
    await figure.getByRole('button', { name: 'Continue the text' }).click();
    await figure.locator('.written', { hasText: 'named Lily. She loved to play outside in the park.' }).waitFor();
    for (const head of [1, 2, 3, 4, 5, 6, 7, 8]) {
      await figure.getByRole('radio', { name: `Layer 2, head ${head}:` }).click();
      await figure.getByLabel('Silence this head').check();
    }
    await figure.locator('.next dt').first().filter({ hasNotText: 'Lily' }).waitFor();
    expect(new URL(page.url()).searchParams.get('silent')).toBe('2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8');
    await figure.getByRole('button', { name: 'Switch all heads on again (8 silent)' }).click();
    await figure.locator('.next dt').first().filter({ hasText: 'Lily' }).waitFor();
    await figure.getByLabel('Use the positions of the tokens').uncheck();
    await figure.locator('.next dt').first().filter({ hasNotText: 'Lily' }).waitFor();
    expect(new URL(page.url()).searchParams.get('positions')).toBe('no');
  });

  test('says once that it opens a model, and what the model has found or written', async () => {
    const { figure } = await explorer();
    /** What a status has said since, unless it was busy. */
    const listen = (to: Locator): Promise<JSHandle<string[]>> =>
      to.evaluateHandle((element) => {
        const said: string[] = [];
        new MutationObserver(() => {
          const now = element.textContent.trim();
          if (now !== '' && said.at(-1) !== now && element.ariaBusy !== 'true') said.push(now);
        }).observe(element, { subtree: true, childList: true, characterData: true, attributes: true });
        return said;
      });
    const opened = await listen(status(figure));
    await openStories(figure);
    const said = await opened.jsonValue();
    expect(said.filter((text) => text.startsWith('Opening')).length).toBeLessThan(2);
    expect(said.at(-1)).toMatch(/^stories260K: llama, /);

    const found = figure.locator('text-explorer > p[role=status]');
    const heard = await listen(found);
    const candidates = /^Most likely next tokens: ␣Lily \d+\.\d%, .+%, .+%$/;
    expect(await found.innerText()).toMatch(candidates);
    await figure.getByRole('button', { name: 'Continue the text' }).press('Enter');
    await found
      .filter({ hasText: /^What the model writes: .* named Lily\. She loved to play/ })
      .waitFor({ state: 'attached' });
    expect(await heard.jsonValue()).toHaveLength(1);

    // The button goes away, and leaves its focus to what it changes.
    await figure.getByLabel('Silence this head').check();
    await figure.getByRole('button', { name: 'Switch all heads on again (1 silent)' }).press('Enter');
    expect(await found.evaluate((element) => element.matches(':focus'))).toBe(true);
    await found.filter({ hasText: candidates }).waitFor({ state: 'attached' });
  });

  test('shows the lens, and beside it that of the model with silent heads; the link keeps both', async () => {
    const { page, figure } = await explorer();
    await figure.getByRole('button', { name: 'Try the small model stories260K' }).click();
    await figure.getByRole('radio', { name: 'logit lens' }).check();
    await figure.locator('lens-viewer[drawn]').waitFor();
    await figure.locator('lens-viewer .column dt').last().filter({ hasText: '␣Lily' }).waitFor();
    await figure.getByLabel('Token whose rank is shown').fill('Lily');
    await figure.getByLabel('Token whose rank is shown').press('Enter');
    await figure.locator('.readout').getByText('Rank of “␣Lily”: 1 of 512').waitFor();
    const address = new URL(page.url());
    expect(Object.fromEntries(address.searchParams)).toMatchObject({ view: 'lens', followed: '317' });

    address.searchParams.set('silent', '2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8');
    address.searchParams.set('neurons', '5.139 9.1 1.999');
    const again = await explorer({ path: address.pathname + address.search });
    await again.figure.getByRole('button', { name: 'Try the small model stories260K' }).click();
    await again.figure.getByText('With heads or neurons switched off').waitFor();
    await again.figure.getByText(/Rank of “␣Lily”: [2-9] of 512/).waitFor();
    // Neurons that this model does not have are ignored.
    await again.figure.getByRole('radio', { name: 'neurons' }).check();
    expect(await again.figure.getByLabel('Neurons that are switched off').inputValue()).toBe('5.139');
    expect(await violationsOf(again.page, 'model-explorer')).toEqual([]);
  });

  test('switches off neurons, and shows what that changes', async () => {
    const { page, figure } = await explorer({ path: '/en/models/?view=neurons' });
    await figure.getByRole('button', { name: 'Try the small model stories260K' }).click();
    const field = figure.getByLabel('Neurons that are switched off');
    await field.waitFor();
    expect(await figure.locator('table').count()).toBe(0);
    // Neuron 138 of layer 4, counted from 0, in the guide "Experiments".
    await field.fill('5.139, 6.1 x');
    await field.press('Tab');
    const first = figure.locator('tbody tr').first();
    await first.waitFor();
    expect(await field.inputValue()).toBe('5.139');
    const [name, before, after, logit] = await first.locator('th, td').allInnerTexts();
    expect(name).toBe('␣Lily');
    const share = (text: string | undefined): number => parseFloat(text!);
    expect(share(before) - share(after)).toBeGreaterThan(10);
    expect(share(after)).toBe(share(await figure.locator('.next dd').nth(1).innerText()));
    expect(logit).toMatch(/^−\d\.\d\d$/);
    expect(new URL(page.url()).searchParams.get('neurons')).toBe('5.139');
    await figure.getByRole('button', { name: 'Also switch off the 10 most active neurons at the last token' }).click();
    await figure.getByRole('button', { name: /Switch all neurons on again \(1[01] off\)/ }).click();
    await first.waitFor({ state: 'detached' });
    expect(await field.inputValue()).toBe('');
    expect(await violationsOf(page, 'model-explorer')).toEqual([]);
  });

  test('patches from another text, by layer and token', async () => {
    const other = 'Once upon a time, there was a little boy named';
    const { page, figure } = await explorer({
      path: `/en/models/?view=patching&other=${encodeURIComponent(other)}`,
      viewport: { width: 390, height: 844 },
    });
    await figure.getByRole('button', { name: 'Try the small model stories260K' }).click();
    const patch = figure.getByRole('button', { name: 'Patch each layer and token' });
    await patch.click();
    await figure.getByText('Share of the way from “Lily” to “Timmy”').waitFor();
    await patch.waitFor();
    const values = await figure
      .locator('heat-map.patched')
      .evaluate((map) => Array.from((map as unknown as { values: Float32Array }).values));
    expect(values).toHaveLength(5 * 14);
    // Tokens that do not differ have nothing to bring, and in the last layer the last token has it all.
    expect(values.slice(0, 10)).toEqual(Array(10).fill(0));
    expect(values[4 * 14 + 13]).toBeGreaterThan(0.7);
    expect(await violationsOf(page, 'model-explorer')).toEqual([]);
    expect(await widthOf(page)).toBeLessThanOrEqual(390);
    const field = figure.getByLabel('Text to patch from');
    await field.fill('Once');
    await patch.click();
    await figure.getByText('Both texts need the same number of tokens: the first has 14, this one 2.').waitFor();
    expect(new URL(page.url()).searchParams.get('other')).toBe('Once');
    await field.fill('Once upon a time, there was a little girl named');
    await patch.click();
    await figure.getByText('The model continues both texts with the same token.').waitFor();
  });

  test('opens a folder with a tokenizer, and then one without', async () => {
    const { figure } = await explorer({ path: '/en/models/?text=The+dog&silent=1.2+9.9' });
    const names = ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json'];
    await give(
      figure,
      names.map((name) => join(STORIES, name)),
    );
    await figure.locator('head-viewer[drawn]').waitFor();
    expect(await figure.locator('.row-ticks text').allTextContents()).toEqual(['<s>', 'The', 'do', 'g']);
    expect(await hatched(figure)).toBe(3);
    // A head that this model does not have is ignored.
    expect(await figure.locator('.thumbnail.silent').count()).toBe(1);
    await give(
      figure,
      ['config.json', 'model.safetensors'].map((name) => join(BERT, name)),
    );
    await figure.getByText('There is no tokenizer.json').waitFor();
    await figure.getByLabel('Token IDs').fill('5 6 7 8');
    await figure.locator('.stale').waitFor({ state: 'detached' });
    expect(await figure.locator('.row-ticks text').allTextContents()).toEqual(['5', '6', '7', '8']);
    // An encoder's queries see all keys.
    expect(await hatched(figure)).toBe(0);
    await figure.getByLabel('Sentences, one per line').fill('5 6 7\n8 9 10\n\n5 6 8');
    await figure.getByRole('button', { name: 'Compare sentences' }).click();
    const map = figure.locator('heat-map.likeness');
    await map.waitFor();
    const values = await map.evaluate((element) => Array.from((element as unknown as { values: Float32Array }).values));
    expect(values).toHaveLength(9);
    for (const i of [0, 4, 8]) expect(values[i]).toBeCloseTo(1, 5);
  });

  test('opens a GGUF file, with its tokenizer', async () => {
    const { page, figure } = await explorer({ path: '/en/models/?text=the+apples' });
    const asked = page.waitForEvent('filechooser');
    await figure.getByRole('button', { name: 'Choose a .gguf file' }).click();
    await (await asked).setFiles(join(FIXTURES, 'gguf/llama-q8_0/model.gguf'));
    await figure.locator('head-viewer[drawn]').waitFor();
    expect(await status(figure).innerText()).toMatch(/^model\.gguf: llama, layers: 2, heads per layer: 4/);
    expect((await figure.locator('.row-ticks text').allTextContents()).slice(0, 2)).toEqual(['<s>', 'the']);
  });

  test('says where models come from, until one is open', async () => {
    const { figure } = await explorer();
    const from = figure.getByText('Where models come from');
    expect(await figure.locator('details').getAttribute('open')).toBe('');
    const links = await figure
      .locator('details a')
      .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
    expect(links).toEqual([
      'https://huggingface.co/bartowski/SmolLM2-135M-Instruct-GGUF/resolve/main/SmolLM2-135M-Instruct-Q8_0.gguf?download=true',
      'https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/tree/main',
      'https://huggingface.co/WinKawaks/vit-tiny-patch16-224/tree/main',
    ]);
    expect(await figure.locator('details pre').allInnerTexts()).toEqual([
      'hf download sentence-transformers/all-MiniLM-L6-v2 config.json model.safetensors tokenizer.json tokenizer_config.json --local-dir all-MiniLM-L6-v2',
      'hf download WinKawaks/vit-tiny-patch16-224 config.json model.safetensors preprocessor_config.json --local-dir vit-tiny-patch16-224',
    ]);
    await openStories(figure);
    expect(await figure.locator('details').getAttribute('open')).toBeNull();
    await from.click();
    await figure.locator('details pre').first().waitFor();
  });

  test('speaks of dropping only where there is a mouse', async () => {
    const { figure } = await explorer({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    expect(await figure.getByText('or drop it here').isVisible()).toBe(false);
    const wide = await explorer();
    expect(await wide.figure.getByText('or drop it here').isVisible()).toBe(true);
  });

  test('tells sizes, opens a model in int8, and asks how before it opens a large one', async () => {
    const { figure } = await explorer();
    await openStories(figure);
    // The page brings it in a rounded form.
    const sizes = figure.getByRole('group', { name: 'Weights in memory (in the file: int8)' }).getByRole('button');
    expect(await sizes.allInnerTexts()).toEqual(['float32: 1 MB', 'int8: 0.3 MB']);
    const bytes = (): Promise<number> =>
      figure.evaluate(
        (element) =>
          (element as unknown as { state: { checkpoint: { model: { parameterBytes: number } } } }).state.checkpoint
            .model.parameterBytes,
      );
    const before = await bytes();
    const shares = (): Promise<string[]> => figure.locator('.next dd:not([aria-hidden])').allInnerTexts();
    const exact = await shares();
    await sizes.last().click();
    await figure.locator('button[aria-pressed=true]', { hasText: 'int8' }).waitFor();
    await figure.locator('head-viewer[drawn]').waitFor();
    expect(await bytes()).toBeLessThan(before / 2);
    expect(await shares()).not.toEqual(exact);
    expect(await figure.locator('.next dt').first().innerText()).toBe('␣Lily');

    const header = JSON.stringify({ wte: { dtype: 'F32', shape: [1e6, 100], data_offsets: [0, 4e8] } });
    const length = Buffer.alloc(8);
    length.writeUInt32LE(header.length);
    await give(figure, [
      { name: 'config.json', mimeType: 'application/json', buffer: Buffer.from('{"model_type":"gpt2"}') },
      {
        name: 'model.safetensors',
        mimeType: 'application/octet-stream',
        buffer: Buffer.concat([length, Buffer.from(header)]),
      },
    ]);
    await status(figure).filter({ hasText: 'is large' }).waitFor();
    const large = figure.getByRole('group', { name: 'Weights in memory (in the file: float32)' }).getByRole('button');
    expect(await large.allInnerTexts()).toEqual(['float32: 400 MB', 'int8: 103 MB']);
    expect(await figure.locator('button[aria-pressed=true], progress').count()).toBe(0);
    await large.last().click();
    await status(figure).filter({ hasText: 'could not be opened' }).waitFor();
    // Another form may fit into the memory.
    expect(await large.count()).toBe(2);
  });

  test('opens what was chosen last, also while another model is being opened', async () => {
    const { page, figure } = await explorer();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const file = '**/story-model*.js';
    await page.route(file, async (route) => {
      await held;
      await route.continue();
    });
    const asked = page.waitForRequest(file);
    await figure.getByRole('button', { name: 'Try the small model stories260K' }).click();
    await asked;
    await give(
      figure,
      ['config.json', 'model.safetensors'].map((name) => join(BERT, name)),
    );
    await figure.locator('head-viewer[drawn]').waitFor();
    const answered = page.waitForResponse(file);
    release();
    await answered;
    await page.waitForTimeout(500);
    await page.unroute(file);
    expect(await status(figure).innerText()).toMatch(/bert, layers: 2/);
  });

  test('gives a model something to read', async () => {
    const { figure } = await explorer();
    const files = (names: readonly string[]): string[] => names.map((name) => join(STORIES, name));
    await give(figure, files(['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json']));
    await figure.locator('head-viewer[drawn]').waitFor();
    expect(await figure.getByLabel('Text', { exact: true }).inputValue()).toMatch(/^Once upon a time/);
    await give(figure, files(['config.json', 'model.safetensors']));
    await figure.getByText('There is no tokenizer.json, so tokens are shown by their IDs').waitFor();
    await figure.locator('head-viewer[drawn]').waitFor();
    expect(await figure.locator('.row-ticks text').allTextContents()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
  });

  test('begins anew with another model, and keeps only a text of the reader’s own', async () => {
    const { page, figure } = await explorer();
    const text = figure.getByLabel('Text', { exact: true });
    const numbers = ['config.json', 'model.safetensors'].map((name) => join(BERT, name));
    const gguf = figure.locator('input[accept=".gguf"]');
    await give(figure, numbers);
    await figure.getByLabel('Token IDs').waitFor();
    await gguf.setInputFiles(join(FIXTURES, 'gguf/llama-q8_0/model.gguf'));
    await status(figure).filter({ hasText: 'model.gguf: llama' }).waitFor();
    await openStories(figure);
    expect(await text.inputValue()).toMatch(/^Once upon a time/);

    await figure.getByLabel('Use the positions of the tokens').uncheck();
    await figure.getByLabel('Silence this head').check();
    await figure.getByRole('radio', { name: 'neurons' }).check();
    await figure.locator('.stale').waitFor({ state: 'detached' });
    await figure.getByLabel('Neurons that are switched off').fill('1.5 2.6');
    await figure.getByLabel('Neurons that are switched off').press('Tab');
    await figure.locator('table').waitFor();
    await figure.getByRole('radio', { name: 'patching' }).check();
    await figure.getByLabel('Text to patch from').fill('A dog');
    await text.fill('One 2 three');
    // The same model in another form is as it was.
    await figure.getByRole('button', { name: 'int8: 0.3 MB' }).click();
    await figure.locator('button[aria-pressed=true]', { hasText: 'int8' }).waitFor();
    await figure.getByLabel('Text to patch from').waitFor();
    const search = (): Record<string, string> => Object.fromEntries(new URL(page.url()).searchParams);
    const changed = { positions: 'no', silent: '1.1', neurons: '1.5 2.6', view: 'patching', other: 'A dog' };
    expect(search()).toEqual({ text: 'One 2 three', ...changed });

    await openStories(figure);
    expect(search()).toEqual({ text: 'One 2 three' });
    expect(await figure.getByLabel('Use the positions of the tokens').isChecked()).toBe(true);
    expect(await figure.locator('.thumbnail.silent').count()).toBe(0);
    await text.fill('One two');
    await give(figure, numbers);
    expect(await figure.getByLabel('Token IDs').inputValue()).toBe('1 2 3 4 5 6 7 8');
  });

  test('says what each view shows, and begins to patch with an example', async () => {
    const { figure } = await explorer();
    await openStories(figure);
    await figure.getByText('Bits measure how widely a head spreads its attention').waitFor();
    for (const [view, says] of [
      ['logit lens', 'the token that the model would write next if it stopped after that layer'],
      ['neurons', 'Press the button to switch off the most active ones'],
      ['patching', 'Write a second text with the same number of tokens'],
    ] as const) {
      await figure.getByRole('radio', { name: view }).check();
      await figure.getByText(says).waitFor();
    }
    await figure.getByRole('button', { name: 'Patch each layer and token' }).click();
    await figure.getByText('Share of the way from “Lily” to “Timmy”').waitFor();
  });

  test('says that a vocabulary lacks words', async () => {
    const { figure } = await explorer({ path: `/en/models/?text=${encodeURIComponent('the 옛날')}` });
    const tokenizer = {
      added_tokens: [],
      normalizer: null,
      pre_tokenizer: { type: 'BertPreTokenizer' },
      model: { type: 'WordPiece', vocab: { '[UNK]': 0, the: 1 }, unk_token: '[UNK]' },
      post_processor: null,
      decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    };
    await give(figure, [
      ...['config.json', 'model.safetensors'].map((name) => ({
        name,
        mimeType: 'application/octet-stream',
        buffer: readFileSync(join(BERT, name)),
      })),
      {
        name: 'tokenizer.json',
        mimeType: 'application/json',
        buffer: Buffer.from(JSON.stringify(tokenizer)),
      },
    ]);
    await figure.getByText('The model sees only “[UNK]” in their place.').waitFor();
    await figure.getByLabel('Text', { exact: true }).fill('the the');
    await figure.getByText('“[UNK]”').waitFor({ state: 'detached' });
  });

  test('shows nothing of another text or setting', async () => {
    const { figure } = await explorer();
    await openStories(figure);
    const [text, written, stale] = [
      figure.getByLabel('Text', { exact: true }),
      figure.locator('.written'),
      figure.locator('.stale'),
    ];
    const write = figure.getByRole('button', { name: 'Continue the text' });
    const silence = figure.getByLabel('Silence this head');
    for (const change of [
      () => text.fill('My dog'),
      () => silence.check(),
      () => figure.getByLabel('Use the positions of the tokens').uncheck(),
      // While it is being written.
      () => text.fill('One day'),
    ]) {
      await write.click();
      await written.waitFor();
      await change();
      expect([await written.count(), await stale.count()]).toEqual([0, 1]);
      await stale.waitFor({ state: 'detached' });
      expect(await written.count()).toBe(0);
    }
    expect((await figure.locator('.row-ticks text').allTextContents()).slice(0, 2)).toEqual(['<s>', 'One']);
    for (const view of ['logit lens', 'neurons', 'heads']) {
      await figure.getByRole('radio', { name: view }).check();
      await text.fill('');
      await figure.getByText('Write something').waitFor();
      expect(await figure.locator('.writer, head-viewer, lens-viewer, table').count()).toBe(0);
      await text.fill('The cat');
      await figure.locator('.writer').waitFor();
    }
  });

  test('drops a pass that comes after a newer one', async () => {
    const { figure } = await explorer();
    await openStories(figure);
    // The next pass takes until the one after it is over.
    await figure.evaluate((element) => {
      const { model } = (
        element as unknown as { state: { checkpoint: { model: { forward(...given: unknown[]): Promise<unknown> } } } }
      ).state.checkpoint;
      const forward = model.forward.bind(model);
      model.forward = async (...given) => {
        model.forward = forward;
        const result = await forward(...given);
        await new Promise((resolve) => setTimeout(resolve, 1500));
        element.setAttribute('late', '');
        return result;
      };
    });
    const text = figure.getByLabel('Text', { exact: true });
    await text.fill('The old dog');
    await figure.page().waitForTimeout(500);
    await text.fill('A cat');
    await figure.locator('.row-ticks text', { hasText: /^A$/ }).waitFor();
    const names = await figure.locator('.row-ticks text').allTextContents();
    await figure.and(figure.page().locator('[late]')).waitFor();
    await figure.page().waitForTimeout(200);
    expect(await figure.locator('.row-ticks text').allTextContents()).toEqual(names);
  });

  test('forgets how alike sentences are when one changes', async () => {
    const { page, figure } = await explorer();
    const asked = page.waitForEvent('filechooser');
    await figure.getByRole('button', { name: 'Choose a .gguf file' }).click();
    await (await asked).setFiles(join(FIXTURES, 'gguf/bert-f16/model.gguf'));
    await figure.getByRole('button', { name: 'Compare sentences' }).click();
    await figure.locator('.likeness').waitFor();
    await figure.getByLabel('Sentences, one per line').press('x');
    expect(await figure.locator('.likeness').count()).toBe(0);
  });

  test('names the characters that several tokens make, in Korean', async () => {
    const { figure } = await explorer({
      path: `/ko/models/?text=${encodeURIComponent('옛날 옛적에 한 소녀가')}`,
      viewport: { width: 1280, height: 800 },
    });
    await figure.locator('.drop button').last().click();
    await figure.locator('head-viewer[drawn]').waitFor();
    await figure.getByText('‘옛 1/3’').waitFor();
    const rows = figure.locator('head-viewer .row-ticks text');
    expect((await rows.allTextContents()).filter((name) => / \d\/3$/.test(name))).not.toEqual([]);
    await figure.locator('head-viewer .plot').focus();
    await figure.page().keyboard.press('ArrowDown');
    await figure.page().keyboard.press('ArrowDown');
    await figure.locator('head-viewer .readout', { hasText: '옛 1/3' }).waitFor();
    // A long hint and the note on a silent head are one below the other.
    await figure.locator('head-viewer').getByLabel('선').check();
    await figure.getByLabel('이 헤드 끄기').check();
    const [hint, note] = ['.readout', '.silent-note'].map((name) => figure.locator(`head-viewer ${name}`));
    await note!.filter({ hasText: /./ }).waitFor();
    const text = await hint!.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return range.getBoundingClientRect().bottom;
    });
    expect((await note!.boundingBox())!.y).toBeGreaterThanOrEqual(text - 1);
  });

  test('stops a tokenizer that never comes to an end, and uses it again for another text', async () => {
    const { page, figure } = await explorer({ path: '/en/models/?text=The+dog' });
    const json = (name: string): Record<string, unknown> =>
      JSON.parse(readFileSync(join(STORIES, name), 'utf8')) as Record<string, unknown>;
    // Backtracks through all ways to split a row of a’s.
    const slow = { type: 'Split', pattern: { Regex: '(a+)+$' }, behavior: 'Isolated', invert: false };
    const file = (name: string, content: object): { name: string; mimeType: string; buffer: Buffer } => ({
      name,
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(content)),
    });
    await give(figure, [
      file('config.json', json('config.json')),
      file('tokenizer.json', { ...json('tokenizer.json'), pre_tokenizer: slow }),
      file('tokenizer_config.json', json('tokenizer_config.json')),
      {
        name: 'model.safetensors',
        mimeType: 'application/octet-stream',
        buffer: readFileSync(join(STORIES, 'model.safetensors')),
      },
    ]);
    await figure.locator('head-viewer[drawn]').waitFor();
    const text = figure.getByLabel('Text', { exact: true });
    await text.fill(`${'a'.repeat(40)}!`);
    await figure.getByText('The tokenizer was stopped because it took longer than 2 seconds.').waitFor();
    // The page answered all the time.
    expect(await page.evaluate(() => 1 + 1)).toBe(2);
    await text.fill('The cat');
    await figure.locator('.remark', { hasText: /^Most likely next tokens: / }).waitFor({ state: 'attached' });
    const names = await figure.locator('.row-ticks text').allTextContents();
    expect(names.slice(0, 2)).toEqual(['<s>', 'The']);
  });

  test('reports invalid files, and opens others afterwards', async () => {
    const { figure } = await explorer();
    const text = (name: string, content: string): { name: string; mimeType: string; buffer: Buffer } => ({
      name,
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(content),
    });
    const bad: [ReturnType<typeof text>[], string | RegExp][] = [
      [[text('a.txt', '')], 'The folder has no config.json.'],
      [[text('config.json', '{}')], 'The folder has no .safetensors file.'],
      [[text('config.json', '{'), text('m.safetensors', '')], 'config.json is not JSON.'],
      [[text('config.json', '{"model_type":"t5"}'), text('m.safetensors', 'x')], /could not be opened.*model_type/],
      [[text('config.json', '[]'), text('m.safetensors', '\u0000'.repeat(99))], /could not be opened/],
    ];
    for (const [files, says] of bad) {
      await give(figure, files);
      await status(figure).filter({ hasText: says }).waitFor();
    }
    await figure.getByRole('button', { name: 'Try the small model stories260K' }).click();
    await figure.locator('head-viewer[drawn]').waitFor();
    await figure.getByLabel('Text', { exact: true }).fill('word '.repeat(400));
    await figure.getByText('only its first 128 tokens are used').waitFor();
  });

  test('cannot connect to other servers', async () => {
    const { page } = await explorer();
    const refused = await page.evaluate(() =>
      fetch('https://example.org/').then(
        () => false,
        () => true,
      ),
    );
    expect(refused).toBe(true);
    expectErrors(/Content Security Policy/);
    expect(await page.locator('meta[http-equiv=Content-Security-Policy]').getAttribute('content')).toContain(
      "connect-src 'self'",
    );
  });

  test.each([
    ['en', 390],
    ['en', 1280],
    ['ko', 390],
    ['tr', 1280],
    ['pt', 390],
    ['id', 390],
  ])('does not overflow, and axe finds no violations, in %s at %i px', async (language, width) => {
    const { page, figure } = await explorer({
      path: `/${language}/models/`,
      viewport: { width, height: 844 },
    });
    await figure.locator('.drop button').last().click();
    await figure.locator('head-viewer[drawn]').waitFor();
    expect(await widthOf(page)).toBeLessThanOrEqual(width);
    const high = async (name: string): Promise<number> => (await page.locator(name).boundingBox())!.height;
    expect(await high('.home')).toBeLessThan(await high('header > .bar'));
    expect(await violationsOf(page, 'body')).toEqual([]);
  });

  test('is linked from the textbook section', async () => {
    const page = await open({ figures: [] });
    await page.locator('main a[href="models/"]').last().click();
    await page.locator('model-explorer .drop').waitFor();
    expect(new URL(page.url()).pathname).toBe('/en/models/');
  });

  test('has the section’s bar, which leads back to it, and to other languages with the text', async () => {
    const { page } = await explorer({ path: '/en/models/?text=The+dog' });
    await page.getByRole('button', { name: 'Language: English' }).click();
    await page.getByRole('link', { name: 'Türkçe' }).click();
    await page.getByRole('heading', { name: 'Kendi modeliniz' }).waitFor();
    expect(new URL(page.url()).search).toBe('?text=The+dog');
    await page.locator('.bar').getByRole('link', { name: 'Öz-dikkat ve konumsal kodlama' }).click();
    await page.getByRole('heading', { level: 1, name: 'Öz-Dikkat ve Konumsal Kodlama' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/tr/');
  });
});
