import { expect, test, vi } from 'vitest';
import * as elements from 'wasm-attention/elements';

const hasDom = 'document' in globalThis;
const drawn = (element) => vi.waitUntil(() => element.hasAttribute('drawn'), 10_000);

test.runIf(hasDom)('a figure has the settings of its attributes', async () => {
  document.body.innerHTML = '<positional-curves length="30" width="16" columns="4 5"></positional-curves>';
  const figure = document.querySelector('positional-curves');
  await drawn(figure);
  expect(figure.columns).toEqual([4, 5]);
});

test.runIf(hasDom)('a model’s weights are shown', async () => {
  const viewer = document.createElement('head-viewer');
  viewer.loadArrays({
    weights: [
      [1, 0],
      [0.5, 0.5],
    ],
    tokens: ['a', 'b'],
  });
  document.body.replaceChildren(viewer);
  await drawn(viewer);
  expect(viewer.shadowRoot.textContent).toContain('Layer 1, head 1');
});

test.runIf(hasDom)('every figure is defined, and can be in the page', () => {
  const all = Object.values(elements).map((Figure) => new Figure());
  document.body.replaceChildren(...all);
  expect(all.length).toBeGreaterThan(20);
});

test.runIf(!hasDom)('importing figures does nothing', () => {
  expect(globalThis.customElements).toBeUndefined();
});
