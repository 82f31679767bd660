import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { figures } from '../../../../web/elements/registry.js';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';

const { open, leave } = useBrowser();

/** What breaks the rules that all figures keep for their parts: order, gaps and colours. */
function brokenRules(figure: Locator): Promise<string[]> {
  return figure.evaluate((host) => {
    const within = (root: ParentNode): HTMLElement[] =>
      [...root.querySelectorAll<HTMLElement>('*')].flatMap((each) => [
        each,
        ...(each.shadowRoot === null ? [] : within(each.shadowRoot)),
      ]);
    const box = (element: Element): DOMRect => element.getBoundingClientRect();
    const name = ({ classList, localName }: Element): string => classList.value || localName;
    const all = within(host.shadowRoot!).filter((each) => each.checkVisibility() && box(each).height > 1);
    const broken: string[] = [];

    // The picture, its legend, what is said of it, and below these the controls. What grows while the race is on is
    // below its button.
    const controls = all.find((each) => each.matches('.controls:not(.above)'));
    for (const part of all.filter((each) => each.matches('.readout, .remark, .legend, ramp-legend')))
      if (controls !== undefined && host.localName !== 'complexity-race' && box(part).bottom > box(controls).top + 1)
        broken.push(`${name(part)} late`);

    const parts = all.filter((each) => each.parentElement?.matches('.stage') && !each.matches('.spoken'));
    for (const [index, part] of parts.slice(1).entries()) {
      const before = parts[index]!;
      const gap = Math.round(box(part).top - box(before).bottom);
      const isText = part.matches('.readout, .remark, .legend, .under');
      const apart = part.matches('.controls') || before.matches('.controls');
      if (isText ? gap !== 8 : apart && gap !== 16) broken.push(`${name(before)} ${gap} ${name(part)}`);
    }

    const colour = (element: Element): string => getComputedStyle(element).color;
    const [ink, quiet] = ['--_ink', '--_quiet'].map((value) => {
      const sample = host.shadowRoot!.appendChild(document.createElement('i'));
      sample.style.setProperty('color', `var(${value})`);
      const result = colour(sample);
      sample.remove();
      return result;
    });
    for (const part of all.filter((each) => each.matches('.readout, .remark, .hint')))
      if (colour(part) !== (part.matches('.readout') ? ink : quiet)) broken.push(`${name(part)} ${colour(part)}`);
    return broken;
  });
}

test.each(Object.keys(figures))(
  'the parts of %s have the order, the gaps and the colours of all figures',
  async (tag) => {
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [960, 'dark'],
    ] as const) {
      const viewport = { width, height: 2000 };
      const { page, figure } = await openAlone(open, tag, { viewport, colorScheme });
      expect({ width, broken: await brokenRules(figure) }).toEqual({ width, broken: [] });
      await leave(page);
    }
  },
);
