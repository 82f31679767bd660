import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openModel, pixelsOf, type VisionModel } from 'wasm-attention/models';
import { png } from '../../support/png.js';
import type { Visit } from '../visit.js';
import { faultsOfMaps } from './maps.js';

const STORIES = join(import.meta.dirname, '../../fixtures/stories260K');
const VIT = join(import.meta.dirname, '../../fixtures/models/vit');
const FILES = ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json'];

export function checkModels(visit: Visit): void {
  test('the language model writes a story, and another one without order', async () => {
    await visit.open('/en/language-model');
    await visit.reach('language-model');
    await visit.browser.until(() => findAll('.teller:not([inert])').length > 0);
    await visit.click('.switch input');
    await visit.browser.until(() => findAll('.changed').length > 20);
    await visit.click('.story [data-at="9"]');
    await visit.browser.until(() => findAll('.arcs path').length > 0);
  });

  /** Chooses files in the first input that fits a selector. */
  const choose = async (
    selector: string,
    files: readonly (readonly [name: string, content: Buffer])[],
  ): Promise<void> => {
    await visit.browser.until((selector) => findAll(selector).length > 0, selector);
    await visit.browser.run(
      (selector, files) => {
        const chosen = new DataTransfer();
        for (const [name, content] of files) {
          const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
          chosen.items.add(new File([bytes], name, { type: name.endsWith('.png') ? 'image/png' : '' }));
        }
        const input = findAll<HTMLInputElement>(selector)[0]!;
        input.files = chosen.files;
        input.dispatchEvent(new Event('change'));
      },
      selector,
      files.map(([name, content]) => [name, content.toString('base64')] as const),
    );
  };

  test('the models page opens files', async () => {
    await visit.open('/en/models/?text=The+dog');
    await choose(
      'input[type=file]',
      FILES.map((name) => [name, readFileSync(join(STORIES, name))]),
    );
    await visit.browser.until(() => findAll('head-viewer[drawn]').length > 0);
    const labels = await visit.browser.run(() => findAll('.row-ticks text').map(({ textContent }) => textContent));
    expect(labels).toEqual(['<s>', 'The', 'do', 'g']);
    const { bars, faults } = await visit.browser.run(faultsOfMaps);
    expect(faults).toEqual([]);
    // One for each row of the large map.
    expect(bars).toBe(labels.length);
  });

  test('the models page reads pictures, and shows what a model takes them for', async () => {
    await visit.open('/en/models/');
    const files = ['config.json', 'model.safetensors'].map((name) => [name, readFileSync(join(VIT, name))] as const);
    const processor = { image_processor_type: 'ViTImageProcessor', size: { height: 24, width: 24 } };
    await choose('input[type=file]', [...files, ['preprocessor_config.json', Buffer.from(JSON.stringify(processor))]]);
    const data = Uint8Array.from({ length: 4 * 24 * 24 }, (_, i) => (i % 4 === 3 ? 255 : (i * 7) & 255));
    await choose('input[accept^=image]', [['picture.png', png(data, 24, 24)]]);
    await visit.browser.until(() => findAll('patch-viewer[drawn]').length > 0);
    const names = await visit.browser.run(() => findAll('.outcome dt').map(({ textContent }) => textContent));
    const vit = await openModel<VisionModel>({
      config: JSON.parse(readFileSync(join(VIT, 'config.json'), 'utf8')) as unknown,
      weights: new Uint8Array(readFileSync(join(VIT, 'model.safetensors'))),
    });
    const { logits } = vit.forward(pixelsOf({ data, width: 24, height: 24 }, processor));
    const order = vit.labels!.map((name, i) => ({ name, logit: logits!.data[i]! })).sort((a, b) => b.logit - a.logit);
    expect(names).toEqual(order.map(({ name }) => name));
    vit.dispose();
  });
}
