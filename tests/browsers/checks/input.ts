import { expect, test } from '@jest/globals';
import type { Point } from '../../../scripts/engines.mjs';
import type { Visit } from '../visit.js';

export function checkInput(visit: Visit): void {
  const valueOf = (tag: string, property: string): Promise<unknown> =>
    visit.browser.run(
      (tag, property) => findAll<HTMLElement & Record<string, unknown>>(tag)[0]?.[property],
      tag,
      property,
    );
  const selected = (): Promise<string> => visit.browser.run(() => String(getSelection()));

  test.each([1280, 390])(
    'a drag moves a point or an arrow and selects no text, in a window of %d px',
    async (width) => {
      await visit.open('/en/', { width });
      await visit.reach('attention-lookup');
      const query = await visit.middleOf('.handle[data-name=q] .mark');
      await visit.browser.drag(query, by(query, -40, 30));
      expect(await selected()).toBe('');
      const [x, y] = (await valueOf('attention-lookup', 'query')) as [number, number];
      expect([x < 1.5, y < 1.3]).toEqual([true, true]);
      // Keys move what was pressed last.
      await visit.browser.press('ArrowLeft');
      expect(await valueOf('attention-lookup', 'query')).toEqual([expect.closeTo(x - 0.1), y]);

      // From one number of an axis to another, and out of the drawing.
      const [from, to] = await visit.browser.run(middlesOf, '.plane text');
      await visit.browser.drag(from!, to!);
      expect(await selected()).toBe('');
      await visit.browser.drag(from!, by(from!, 10, 300));
      expect(await selected()).toBe('');

      await visit.open('/en/further/', { width });
      await visit.reach('rotary-pairs');
      const before = await valueOf('rotary-pairs', 'query');
      await visit.middleOf('.dial');
      const [middle, tip] = await visit.browser.run(middlesOf, '.dial:first-of-type, .tip.query .mark');
      // A quarter of a turn.
      await visit.browser.drag(tip!, by(middle!, tip![1] - middle![1], middle![0] - tip![0]));
      expect(await selected()).toBe('');
      expect(await valueOf('rotary-pairs', 'query')).not.toBe(before);
    },
  );

  test('keys move a slider, and the figure follows', async () => {
    await visit.open();
    await visit.reach('attention-lookup');
    const shown = (): Promise<readonly string[]> =>
      visit.browser.run(() => {
        const [slider] = findAll<HTMLInputElement>('.slider input');
        slider!.focus();
        return [slider!.value, findAll('.chain tbody td .number')[0]!.textContent];
      });
    const [value, score] = await shown();
    await visit.browser.press('ArrowRight', 3);
    const [higher, lowerScore] = await shown();
    expect(Number(higher)).toBeGreaterThan(Number(value));
    expect(Number(lowerScore)).toBeLessThan(Number(score));
    expect(await valueOf('attention-lookup', 'temperature')).not.toBe(1);
    await visit.browser.press('ArrowLeft', 3);
    expect(await shown()).toEqual([value, score]);
  });

  test('settings reach the URL, even if the browser refuses more changes for a while', async () => {
    await visit.open();
    await visit.reach('attention-lookup');
    await visit.browser.run(() => {
      try {
        for (let i = 0; i < 150; ++i) history.replaceState(history.state, '', location.href);
      } catch {
        // WebKit allows 100 in 10 seconds.
      }
      findAll<HTMLInputElement>('.slider input')[0]!.focus();
    });
    await visit.browser.press('ArrowRight');
    await visit.browser.until(() => location.search.includes('temperature'));
  });
}

const by = ([x, y]: Point, right: number, down: number): Point => [x + right, y + down];

function middlesOf(selector: string): Point[] {
  return findAll(selector).map((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return [x + width / 2, y + height / 2];
  });
}
