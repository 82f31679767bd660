import { join } from 'node:path';
import { published } from '../../web/page/plugins/pages.js';
import { useBrowser } from './browser.js';

const LANGUAGES = published(join(import.meta.dirname, '../../web/page'));
const { open, origin } = useBrowser();

test('the addresses of the other languages are written out whole, wherever the page is served', async () => {
  const page = await open({ path: '/ko/', figures: [] });
  const written = await page
    .locator('link[hreflang]')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  expect(written).toEqual([...LANGUAGES.map((each) => `${origin()}/${each}/`), `${origin()}/`]);
});
