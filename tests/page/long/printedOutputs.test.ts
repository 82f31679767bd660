import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { packOutputs, unpackOutputs } from '../../../web/page/cells/printed-outputs.js';
import { LANGUAGES } from '../../../web/elements/languages.js';
import { pageHtml } from '../../../web/page/plugins/pages.js';
import { runCell } from '../../../web/page/plugins/runCell.js';
import { cellsOf, PAGE, readProse } from '../../support/proseFiles.js';

const pages = new Map<string, string>();
for (const language of LANGUAGES) {
  const read = (folder: string): Promise<string> => pageHtml(PAGE, join(PAGE, folder, 'index.html'));
  pages.set(language, (await read(language)) + (await read(`${language}/further`)));
}

/** The cells of a language's pages: their printed outputs, as HTML and as the element reads them. */
function printedIn(html: string): { html: string; outputs: ReturnType<typeof unpackOutputs> }[] {
  const cells = html.match(/<code-cell>[\s\S]*?<\/code-cell>/g) ?? [];
  return cells.map((cell) => {
    const [, below = ''] =
      /<\/pre>(<div class="printed"[\s\S]*<\/div>)<pre><code class="language-python">/.exec(cell) ?? [];
    const packed = / data-outputs="([^"]*)"/.exec(below)?.[1] ?? '[]';
    return { html: below, outputs: unpackOutputs(packed.replaceAll('&#x22;', '"')) };
  });
}

describe.each(LANGUAGES)('the pages in %s', (language) => {
  const printed = printedIn(pages.get(language)!);

  test('has each cell’s output between its two listings', async () => {
    const codes = cellsOf(readProse(language)).map(({ javascript }) => javascript.replace(/\n$/, ''));
    expect(printed).toHaveLength(codes.length);
    for (const [index, code] of codes.entries()) {
      const outputs = await runCell(code);
      expect(outputs.length).toBeGreaterThan(0);
      expect(printed[index]!.outputs).toEqual(unpackOutputs(packOutputs(outputs)));
    }
  });

  test('shows it without scripts: text as text, matrices as pictures with alternative text', () => {
    for (const { html, outputs } of printed) {
      const texts = outputs.flatMap((output) => ('text' in output ? [output.text] : []));
      expect([...html.matchAll(/<pre class="text">([^<]*)<\/pre>/g)].map(([, text]) => text)).toEqual(texts);
      const pictures = html.match(
        /<img class="(?:lines|heatmap)" src="data:image\/svg\+xml,[^"]+" width="\d+" height="\d+" alt="[^"]+">/g,
      );
      expect(pictures ?? []).toHaveLength(outputs.length - texts.length);
    }
  });
});

test('the numbers of a cell are the same in all languages', () => {
  const [first, ...others] = [...pages.values()].map((html) => printedIn(html).map(({ outputs }) => outputs));
  for (const other of others) expect(other).toEqual(first);
});

test('the shapes are those of the text, and the last cell draws the weights of clipped relative keys', () => {
  const printed = printedIn(pages.get('en')!).map(({ outputs }) => outputs);
  expect(printed[0]).toEqual([{ type: 'text', text: '[2, 4, 100]' }]);
  expect(printed[1]).toEqual([{ type: 'text', text: '[60, 32]' }]);
  const [weights] = printed.at(-1)!;
  if (weights?.type !== 'heatmap') throw new Error('expected a heat map');
  const { values, ...size } = weights;
  expect(size).toEqual({ type: 'heatmap', rows: 8, columns: 8 });
  // The score of ones with ones plus −|offset| is 4 (1 − |offset|), divided by the root of the width, 2.
  const power = (i: number, j: number): number => Math.exp(-2 * Math.min(2, Math.abs(j - i)));
  values.forEach((value, at) => {
    const [i, j] = [Math.floor(at / 8), at % 8];
    const sum = [...Array(8).keys()].reduce((total, key) => total + power(i, key), 0);
    // Printed values have three digits.
    expect(Math.abs(value - power(i, j) / sum)).toBeLessThan(0.0006);
  });
});

test('runs are independent, which reveals randomness without a seed', async () => {
  const code = 'show(Math.random());';
  expect(await runCell(code)).not.toEqual(await runCell(code));
});

test.each([
  ['got Error: no', "throw new Error('no');"],
  ['got RangeError: expected less output', 'for (let i = 0; i < 300; ++i) show(i);'],
  ["expected an import from 'wasm-attention'", "import 'node:fs';"],
])('a cell that goes wrong stops the build: %s', async (message, code) => {
  await expect(runCell(code)).rejects.toThrow(message);
});

test('console output is printed, too, and does not reach the build’s console', async () => {
  expect(await runCell("console.log('a', 1); console.error('b');")).toEqual([
    { type: 'log', text: 'a 1' },
    { type: 'log', text: 'b' },
  ]);
});

test.each([0.84147, 0.0004996, 0.00099998, -0.00004321, 12345.6789, 0, 1e-30, NaN])(
  '%d survives as it is shown',
  (value) => {
    const [output] = unpackOutputs(
      packOutputs([{ type: 'heatmap', values: Float64Array.of(value), rows: 1, columns: 1 }]),
    );
    const { values } = output as { values: Float64Array };
    const shown = (number: number): string => (Math.abs(number) < 1e-3 ? number.toExponential(1) : number.toFixed(3));
    expect(shown(values[0]!)).toBe(shown(value));
  },
);
