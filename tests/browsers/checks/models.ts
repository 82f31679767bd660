import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Visit } from '../visit.js';
import { faultsOfMaps } from './maps.js';

const STORIES = join(import.meta.dirname, '../../fixtures/stories260K');
const FILES = ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json'];

export function checkModels(visit: Visit): void {
  test('the language model writes, beside maps whose bars are as high as their rows', async () => {
    await visit.open('/en/language-model');
    await visit.reach('language-model');
    await visit.click('.ask button');
    await visit.click('.buttons button');
    await visit.browser.until(() => findAll('.story')[0]?.textContent.includes('there was a little girl'));
    await visit.click('.buttons button');
    const { bars, faults } = await visit.browser.run(faultsOfMaps);
    expect(faults).toEqual([]);
    expect(bars).toBeGreaterThan(5);
  });

  test('the models page opens files', async () => {
    const files = FILES.map((name) => [name, readFileSync(join(STORIES, name)).toString('base64')] as const);
    await visit.open('/en/models/?text=The+dog');
    await visit.browser.until(() => findAll('input[type=file]').length > 0);
    await visit.browser.run((files) => {
      const chosen = new DataTransfer();
      for (const [name, content] of files) {
        const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
        chosen.items.add(new File([bytes], name));
      }
      const input = findAll<HTMLInputElement>('input[type=file]')[0]!;
      input.files = chosen.files;
      input.dispatchEvent(new Event('change'));
    }, files);
    await visit.browser.until(() => findAll('head-viewer[drawn]').length > 0);
    const labels = await visit.browser.run(() => findAll('.row-ticks text').map(({ textContent }) => textContent));
    expect(labels).toEqual(['<s>', 'The', 'do', 'g']);
    expect((await visit.browser.run(faultsOfMaps)).faults).toEqual([]);
  });
}
