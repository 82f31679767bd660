import { beforeAll, describe, expect, test } from '@jest/globals';
import { LANGUAGES } from '../../web/elements/languages.js';
import { renderProse } from '../../web/page/plugins/prose.js';
import { readProse, textsOf } from '../support/proseFiles.js';

/** The MathML of a formula in TeX. */
const mathml = async (tex: string): Promise<string> =>
  (await renderProse(`---\ntitle: T\ndescription: D\n---\n$${tex}$`)).body;

test.each(['\\mathbf{y}_i', 'p_{i, 2j}', '\\mathbf{q}_i^\\top', '\\gamma_j'])(
  'a letter with a descender does not lower its index: %s',
  async (tex) => {
    expect(await mathml(tex)).toMatch(/<(msub|msubsup)><mpadded depth="0px"><mi>.<\/mi><\/mpadded>/u);
  },
);

test('nor does a name with one', async () => {
  expect(await mathml('\\log_2 m')).toMatch(/<msub><mpadded depth="0px"><mrow><mi>log<\/mi>/);
});

test.each(['\\mathbf{x}_i', '\\cos_2 x', 'k_1', '\\sqrt{y}', '(y)_i'])(
  'nothing else is taken for such a letter: %s',
  async (tex) => {
    expect(await mathml(tex)).not.toContain('<mpadded');
  },
);

/** A formula's operators, with `|` on both sides of those whose spacing is left to browsers. */
const spaced = async (tex: string): Promise<string> =>
  (await mathml(tex))
    .replace(/<mo([^>]*)>([^<]*)<\/mo>/g, (_, given: string, sign: string) =>
      given.includes('lspace="0em" rspace="0em"') ? sign : `|${sign}|`,
    )
    .replace(/<[^>]*>/g, '')
    .trim();

test('an ellipsis has no more space than the comma before it', async () => {
  expect(await spaced('a, \\ldots, b')).toBe('a|,|…|,|b');
});

test('operators in indices and limits have no space, as in TeX', async () => {
  expect(await spaced('p_{i+1, 2j} + x^{-7}')).toBe('pi+1,2j|+|x−7');
  expect(await spaced('\\sum_{j=1}^{m-1} a')).toBe('|∑|j=1m−1a');
});

describe.each(LANGUAGES)('the formulas in %s', (language) => {
  let html = '';
  beforeAll(async () => {
    html = (await renderProse(readProse(language), textsOf(language).page)).body;
  });

  test('align all displays of several lines', () => {
    const tables = [...html.matchAll(/<math[^>]* display="block"><semantics><mtable class="([^"]+)">/g)];
    expect(tables.map(([, name]) => name)).toEqual(Array.from({ length: 6 }, () => 'aligned'));
  });

  test('have their indices at the same height', () => {
    expect(html.match(/<mpadded depth="0px">/g)?.length).toBeGreaterThan(20);
    expect(html).not.toMatch(/<msub(?:sup)?><mi>[pqy𝐩𝐪𝐲]<\/mi>/u);
  });
});
