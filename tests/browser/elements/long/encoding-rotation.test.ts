import { expect, test } from '@jest/globals';
import { sinusoidalEncoding } from '../../../reference/sinusoidalEncoding.js';
import { attention } from '../../../support/library.js';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';

const { open } = useBrowser();
const alone = () => openAlone(open, 'encoding-rotation');

test.each([
  { offset: 6, position: 10, width: 16 },
  { offset: -30, position: 40, width: 32 },
  { offset: 0, position: 59, width: 4 },
])(
  'every hand rotated by δ = $offset meets p of i + δ, and the residual is rounding error',
  async ({ offset, position, width }) => {
    const { figure } = await alone();
    await figure.getByLabel('Offset δ').fill(String(offset));
    await figure.getByLabel('Position i').fill(String(position));
    await figure.getByLabel('Width d').fill(String(width));
    const hands = await figure
      .locator('.clock line.to')
      .evaluateAll((lines) => lines.map((line) => [Number(line.getAttribute('x2')), -Number(line.getAttribute('y2'))]));
    const P = sinusoidalEncoding({ length: 1, dim: width, offset: position + offset });
    expect(hands).toHaveLength(width / 2);
    hands.flat().forEach((value, k) => expect(Math.abs(value - (P.data[k] ?? NaN))).toBeLessThan(1e-6));
    expect(await figure.locator('.readout').innerText()).toContain(
      `over all positions and pairs: ${scientific(residual(offset, width))}.`,
    );
  },
);

test('the ring around a hidden position is drawn whole, also beyond the dial', async () => {
  const { figure } = await alone();
  await figure.getByRole('button', { name: 'Hide a position' }).click();
  const rings = figure.locator('.clocks .sought');
  expect(await rings.count()).toBeGreaterThan(4);
  const shown = await rings.evaluateAll((all) =>
    all.map((ring) => {
      const svg = (ring as SVGElement).ownerSVGElement!;
      const [dial, box] = [svg, ring].map((each) => each.getBoundingClientRect());
      const beyond =
        box!.left < dial!.left || box!.right > dial!.right || box!.top < dial!.top || box!.bottom > dial!.bottom;
      return { beyond, clipped: getComputedStyle(svg).overflow !== 'visible' };
    }),
  );
  expect(shown.some(({ beyond }) => beyond)).toBe(true);
  expect(shown.filter(({ beyond, clipped }) => beyond && clipped)).toEqual([]);
});

/** max |M·p_i − p_{i+δ}| over 60 positions, from the library's M and P. */
function residual(offset: number, dim: number): number {
  const M = attention.encodingRotation({ delta: offset, dim }).data;
  const P = attention.sinusoidalEncoding({ length: 90, dim }).data;
  let worst = 0;
  for (let i = Math.max(0, -offset); i < 60; ++i) {
    for (let c = 0; c < dim; ++c) {
      const pair = c - (c % 2);
      const at = 2 * pair + 2 * (c % 2);
      const turned = (M[at] ?? NaN) * (P[i * dim + pair] ?? NaN) + (M[at + 1] ?? NaN) * (P[i * dim + pair + 1] ?? NaN);
      worst = Math.max(worst, Math.abs(turned - (P[(i + offset) * dim + c] ?? NaN)));
    }
  }
  // Entries of M and P are off by half a float32 spacing below 1; two products and the target add up to 5 halves.
  expect(worst).toBeLessThan(2.5 * 2 ** -24 * 2);
  return worst;
}

function scientific(value: number): string {
  if (value === 0) return '0';
  const [digits, exponent] = value.toExponential(1).split('e');
  const raised = exponent!.replace('-', '⁻').replace(/\d/g, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]!);
  return `${digits} × 10${raised}`;
}

test('if i + δ is before the first row of P there are no rings, and the legend says why', async () => {
  const { figure } = await alone();
  const rings = figure.locator('.clock .target');
  const key = figure.locator('.legend');
  await figure.getByLabel('Offset δ').fill('-10');
  expect(await rings.count()).toBe(8);
  expect(await key.innerText()).toContain('position i + δ, from P');
  const height = await key.evaluate((element) => element.clientHeight);
  await figure.getByLabel('Offset δ').fill('-11');
  expect(await rings.count()).toBe(0);
  // The sliders below keep their places under the pointer.
  expect(await key.evaluate((element) => element.clientHeight)).toBe(height);
  expect(await key.locator('.target').count()).toBe(0);
  expect(await key.innerText()).not.toContain('from P');
  expect(await key.innerText()).toContain('i + δ < 0: not in P, no rings');
});

test('angles of both signs have the same number of decimals', async () => {
  const { figure } = await alone();
  const angles = async (offset: number): Promise<string[]> => {
    await figure.getByLabel('Offset δ').fill(String(offset));
    return (await figure.locator('.clock p:last-child').allInnerTexts()).map((text) => text.replace('−', ''));
  };
  expect(await angles(-30)).toEqual(await angles(30));
});
