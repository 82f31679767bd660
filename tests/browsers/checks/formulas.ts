import { expect, test } from '@jest/globals';
import type { Visit } from '../visit.js';

export function checkFormulas(visit: Visit): void {
  test.each([1280, 390])('sets formulas whose parts belong together, in a window of %d px', async (width) => {
    for (const path of ['/en/', '/en/further/']) {
      await visit.open(path, { width });
      const { parts, faults } = await visit.browser.run(faultsOfFormulas);
      expect(faults).toEqual([]);
      expect(parts).toBeGreaterThan(300);
    }
  });
}

/** Indices away from their letters, parts of a row away from each other, and formulas wider than their boxes. */
async function faultsOfFormulas() {
  for (const answer of document.querySelectorAll('details')) answer.open = true;
  for (const part of document.querySelectorAll<HTMLElement>('main, main *')) part.style.contentVisibility = 'visible';
  await document.fonts.ready;
  const faults: string[] = [];
  let parts = 0;
  /** Reports a distance, in the letters' size, that is not between two others. */
  const expectBetween = (least: number, most: number, distance: number, element: Element, what: string): void => {
    const share = distance / parseFloat(getComputedStyle(element).fontSize);
    ++parts;
    if (share < least || share > most) faults.push(`${what} ${share.toFixed(2)} em in ${element.textContent}`);
  };
  const box = (element: Element): DOMRect => element.getBoundingClientRect();
  const middle = ({ top, bottom }: DOMRect): number => (top + bottom) / 2;

  for (const pair of findAll('main :is(msub, msup, msubsup)')) {
    const [base, ...scripts] = Array.from(pair.children, box);
    if (base === undefined || base.height === 0) continue;
    const lowered = pair.localName === 'msup' ? [false] : [true, false];
    scripts.forEach((script, i) => {
      expectBetween(-0.05, 0.3, script.left - base.right, pair, 'a script right of its letter by');
      const below = middle(script) - middle(base);
      expectBetween(0.1, 0.8, lowered[i] ? below : -below, pair, `a ${lowered[i] ? 'sub' : 'super'}script off by`);
    });
  }
  for (const row of findAll('main :is(mrow, mstyle, mtd)')) {
    const inside = [...row.children].map(box).filter(({ width }) => width > 0);
    inside
      .slice(1)
      .forEach((next, i) => expectBetween(-0.1, 1.5, next.left - (inside[i]?.right ?? 0), row, 'a gap of'));
    for (const { left, right } of inside) {
      expectBetween(-0.1, Infinity, left - box(row).left, row, 'outside its row at the left by');
      expectBetween(-0.1, Infinity, box(row).right - right, row, 'outside its row at the right by');
    }
  }
  for (const formula of findAll('main math')) {
    const line = formula.closest('p, li, td, th, figcaption, summary, .equation');
    if (line === null || box(formula).width === 0) continue;
    expectBetween(-0.1, Infinity, box(line).right - box(formula).right, formula, 'outside its line by');
  }
  for (const equation of findAll('.equation')) {
    expectBetween(0, 0, equation.scrollWidth - equation.clientWidth, equation, 'wider than its box by');
  }
  return { parts, faults };
}
