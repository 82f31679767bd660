import { expect, test } from '@jest/globals';
import { useBrowser } from '../browser.js';
import { FONTS } from '../chromium.js';

const { open } = useBrowser();

/** The fonts that the Korean page is to be drawn with: its headings, text, code, formulas and Hangul. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  dejavu: ['DejaVu Sans', 'DejaVu Sans Mono', 'DejaVu Serif'],
  cjk: ['DejaVu Math TeX Gyre', 'DejaVu Sans', 'DejaVu Sans Mono', 'DejaVu Serif', 'WenQuanYi Micro Hei'],
};

test(`Chromium draws the Korean page with the fonts of tests/browser/fonts/${FONTS}.conf and no others`, async () => {
  const page = await open({ path: '/ko/', figures: [] });
  const session = await page.context().newCDPSession(page);
  await session.send('DOM.enable');
  await session.send('CSS.enable');
  const { root } = await session.send('DOM.getDocument');
  const { nodeIds } = await session.send('DOM.querySelectorAll', {
    nodeId: root.nodeId,
    selector: 'h1, main > *, #eq-attention *',
  });
  const names = new Set<string>();
  for (const nodeId of nodeIds) {
    const { fonts } = await session.send('CSS.getPlatformFontsForNode', { nodeId });
    for (const { familyName } of fonts) names.add(familyName);
  }
  expect([...names].sort()).toEqual(EXPECTED[FONTS]);
});
