/** The guide of the elements names every figure and every attribute, with the default that the element has. */
import { expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { figures } from '../../../web/elements/registry.js';
import { useBrowser } from '../browser.js';

const { open } = useBrowser();
const TAGS = Object.keys(figures);

interface Attribute {
  readonly name: string;
  readonly initial: string;
}

/** The rows of the guide's table of figures: their attributes by tag, in the order of the table. */
async function rowsOfGuide(): Promise<Map<string, string>> {
  const guide = await readFile(new URL('../../../web/elements/README.md', import.meta.url), 'utf8');
  const rows = [...guide.matchAll(/^\| `<([\w-]+)>` *\| (.*?) *\|[^|]*\|$/gm)];
  return new Map(rows.map(([, tag = '', attributes = '']) => [tag, attributes]));
}

test('the registry is in the order of the alphabet, and so is the guide, which has every figure', async () => {
  expect(TAGS).toEqual([...TAGS].sort());
  expect([...(await rowsOfGuide()).keys()]).toEqual(TAGS);
});

test('the guide has every attribute with its default', async () => {
  const page = await open({ figures: [] });
  for (const tag of TAGS) {
    await page.locator(tag).evaluate(async (figure) => {
      figure.closest('details')?.setAttribute('open', '');
      figure.scrollIntoView({ behavior: 'instant' });
      await customElements.whenDefined(figure.localName);
    });
  }
  const rows = await rowsOfGuide();
  for (const tag of TAGS) {
    const attributes = await page.evaluate((name): Attribute[] => {
      const figure = document.createElement(name) as HTMLElement & {
        settings: Record<string, { initial: unknown; write(value: unknown): string }>;
      };
      return Object.entries(figure.settings).map(([property, setting]) => ({
        name: property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
        initial: setting.write(setting.initial),
      }));
    }, tag);
    let row = rows.get(tag) ?? '';
    const [, same, more = ''] = /^the same as `<([\w-]+)>`(.*)$/.exec(row) ?? [];
    if (same !== undefined) row = (rows.get(same) ?? '') + more;
    for (const { name, initial } of attributes) {
      // `name` (default; …): texts begin empty, and two attributes may share a default.
      const said = row
        .slice(row.indexOf(`\`${name}\``))
        .replaceAll('−', '-')
        .replaceAll('`', '');
      expect({ tag, name, row: row.includes(`\`${name}\``) }).toEqual({ tag, name, row: true });
      const [, value] = /^[^(]*\(([^;:,)]*)/.exec(said) ?? [];
      if (initial !== '') expect({ tag, name, value }).toEqual({ tag, name, value: initial });
    }
  }
});
