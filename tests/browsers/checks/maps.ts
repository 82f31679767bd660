import { expect, test } from '@jest/globals';
import { drawAll, TAGS } from '../reader.js';
import type { Visit } from '../visit.js';

export function checkMaps(visit: Visit): void {
  test('sets numbers beside their rows of a map', async () => {
    await visit.open('/en/further/');
    await visit.browser.run(drawAll, TAGS);
    const { maps, labels, faults } = await visit.browser.run(faultsOfMaps);
    expect(faults).toEqual([]);
    expect(Math.min(maps - 10, labels - 50)).toBeGreaterThan(0);
  });
}

/** Labels that are not beside their map's rows, and entropy bars that are not as high as their rows. */
export function faultsOfMaps() {
  const faults: string[] = [];
  const count = { maps: 0, labels: 0, bars: 0 };
  const box = (element: Element): DOMRect => element.getBoundingClientRect();
  const middle = ({ top, bottom }: DOMRect): number => (top + bottom) / 2;
  for (const map of findAll('heat-map')) {
    const plot = map.shadowRoot?.querySelector('.plot');
    if (plot == null || box(plot).height === 0) continue;
    const { top, bottom, left } = box(plot);
    ++count.maps;
    const name = `${(map.getRootNode() as ShadowRoot).host.localName}'s map of ${Math.round(bottom - top)} px`;
    const axis = map.shadowRoot!.querySelector('.row-ticks')!;
    for (const label of axis.querySelectorAll('text')) {
      const seen = box(label);
      ++count.labels;
      // Only some engines draw what overflows an axis without a width.
      const within = seen.left > box(axis).left - 10 && box(axis).width > 0;
      const beside = seen.right <= left && middle(seen) > top && middle(seen) < bottom;
      if (!within || !beside)
        faults.push(`${name} has ${label.textContent} at ${seen.right - left}, ${seen.top - top}`);
    }
    const entropies = map.nextElementSibling?.matches('.entropies') ? map.nextElementSibling : null;
    const rooms = [...(entropies?.querySelectorAll('.room') ?? [])];
    rooms.forEach((room, row) => {
      ++count.bars;
      const wanted = top + ((row + 0.5) / rooms.length) * (bottom - top);
      const off = middle(box(room)) - wanted;
      if (Math.abs(off) > 1) faults.push(`${name} has bar ${row} off by ${off}`);
    });
  }
  return { ...count, faults };
}
