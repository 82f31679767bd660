/** Names of curves, which stand behind a sample of their curve's line. */
import { expect, test } from '@jest/globals';
import { openAlone } from '../alone.js';
import { useBrowser } from '../browser.js';

const { open } = useBrowser();

test.each([
  ['complexity-race', 4, 390],
  ['complexity-race', 4, 1280],
  ['depth-collapse', 4, 390],
  ['length-extrapolation', 5, 390],
  ['length-extrapolation', 5, 1280],
  ['position-training', 6, 390],
  ['position-training', 6, 1280],
  ['positional-curves', 4, 390],
])('the names of the curves of %s (%i, at %i px) show which line is whose', async (tag, count, width) => {
  const { figure } = await openAlone(open, tag, { viewport: { width, height: 844 } });
  const curves = await figure.evaluate((element) => {
    const look = (path: Element): string => {
      const { stroke, strokeDasharray } = getComputedStyle(path);
      return `${stroke} ${strokeDasharray}`;
    };
    const root = element.shadowRoot!;
    return {
      lines: [...root.querySelectorAll('path.series')].map(look),
      samples: [...root.querySelectorAll('text.curve-label')].map((label) => {
        const sample = label.previousElementSibling!;
        const [line, name] = [sample.getBoundingClientRect(), label.getBoundingClientRect()];
        const beside = line.right <= name.left && name.left - line.right < 12;
        return {
          look: look(sample),
          beside: beside && Math.abs(line.top - name.top - name.height / 2) < 4,
          cut: name.right > element.getBoundingClientRect().right + 1,
        };
      }),
    };
  });
  expect(curves.lines).toHaveLength(count);
  // No two lines look the same, colour and dashes taken together.
  expect(new Set(curves.lines).size).toBe(count);
  expect(curves.samples).toEqual(curves.lines.map((look) => ({ look, beside: true, cut: false })));
});

test('each kind of positions can be chosen by its line', async () => {
  const { figure } = await openAlone(open, 'position-training');
  const [lines, samples] = await figure.evaluate((element) =>
    ['path.series', '.choice path'].map((selector) =>
      [...element.shadowRoot!.querySelectorAll(selector)].map((path) => {
        const { stroke, strokeDasharray } = getComputedStyle(path);
        return `${stroke} ${strokeDasharray}`;
      }),
    ),
  );
  expect(lines).toHaveLength(6);
  expect(samples).toEqual(lines);
});
