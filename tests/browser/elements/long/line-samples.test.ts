/** Names of curves, which stand behind a sample of their curve's line, or above it if it is a single point. */
import { expect, test } from '@jest/globals';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';

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
    const lines = [...root.querySelectorAll('path.series')];
    return {
      lines: lines.map(look),
      samples: [...root.querySelectorAll('text.curve-label')].map((label, at) => {
        const sample = label.previousElementSibling!;
        const [line, name] = [sample.getBoundingClientRect(), label.getBoundingClientRect()];
        const isPoint = sample.matches('.ring');
        const [across, down] = [line, name]
          .map(({ x, y, width, height }) => [x + width / 2, y + height / 2])
          .reduce(([x, y], [toX, toY]) => [toX! - x!, toY! - y!]) as [number, number];
        const beside = line.right <= name.left && name.left - line.right < 12 && Math.abs(down) < 4;
        const above = Math.abs(across) < 1 && down < -8 && down > -20;
        return {
          // A name above a point has its colour.
          look: isPoint ? look(lines[at]!).replace(/^rgb\(.*\)/, getComputedStyle(label).fill) : look(sample),
          beside: isPoint ? above : beside,
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
