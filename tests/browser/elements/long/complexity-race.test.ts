import { describe, expect, test } from '@jest/globals';
import {
  CONTESTANTS,
  multiplyAdds,
  sizesAlong,
  type Axis,
  type Size,
} from '../../../../web/elements/complexity-race/plan.js';
import { attention } from '../../../support/library.js';
import { violationsOf } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { FAST, heightOf, raceWith, SMALL } from '../../race.js';

const { open } = useBrowser();

describe('complexity-race', () => {
  test.each([
    ['n', 256, 128, 3],
    ['d', 1024, 64, 5],
  ] as const)('draws exact counts over %s', async (axis: Axis, n, d, k) => {
    const size: Size = { n, d, k };
    const { race } = await raceWith(open, { axis, length: String(n), width: String(d), kernel: String(k) });
    const height = await heightOf(race);
    for (const contestant of CONTESTANTS) {
      const path = (await race.locator(`path.series[data-contestant="${contestant}"]`).getAttribute('d')) ?? '';
      const heights = path
        .slice(1)
        .split('L')
        .map((point) => Number(point.split(',')[1]));
      const counts = sizesAlong(axis, size).map((each) => multiplyAdds(attention, contestant, each));
      expect(heights).toHaveLength(counts.length);
      // A path's coordinates have three decimals.
      counts.forEach((count, at) => expect(Math.abs((heights[at] ?? NaN) - height(count))).toBeLessThan(2e-3));
    }
    const table = await race.locator('.counts .multiplyAdds').allInnerTexts();
    expect(table).toEqual(
      CONTESTANTS.map((contestant) => multiplyAdds(attention, contestant, size).toLocaleString('en')),
    );
  });

  test('names where the counts cross', async () => {
    const { race } = await raceWith(open);
    expect(await race.locator('p.readout').innerText()).toContain(
      'Crossings with attention’s mixing, by count: CNN at n\u00a0=\u00a0192, RNN at n\u00a0=\u00a0128.',
    );
    expect(await race.locator('.plot circle.crossing').count()).toBe(2);
  });

  test('stops at once, keeps its measurements, and clears them on reset', async () => {
    const { page, race } = await raceWith(open, SMALL);
    await race.getByRole('button', { name: 'Start the race' }).focus();
    await page.keyboard.press('Enter');
    await race.locator('.plot path.dot').nth(1).waitFor();
    const before = await race.evaluate(async (element) => {
      const root = element.shadowRoot;
      root?.querySelector<HTMLButtonElement>('.run button')?.click();
      await new Promise((resolve) => requestAnimationFrame(resolve));
      return {
        running: root?.querySelector('progress') !== null,
        dots: root?.querySelectorAll('.plot .dot').length,
      };
    });
    expect(before.running).toBe(false);
    await page.waitForTimeout(600);
    expect(await race.locator('.plot path.dot').count()).toBe(before.dots);
    await race.evaluate((element) => (element as unknown as { reset(): void }).reset());
    await race.locator('.plot path.dot').first().waitFor({ state: 'detached' });
    expect(await race.locator('p.machine').innerText()).toContain('Nothing has been measured yet');
  });

  test('without workers keeps the counts and says so', async () => {
    const { race } = await raceWith(open, {}, { script: 'delete globalThis.Worker' });
    await race.getByRole('button', { name: 'Start the race' }).click();
    await race.locator('.readout').getByText('The race needs web workers').waitFor();
    expect(await race.locator('.counts tbody tr').count()).toBe(4);
    expect(await race.locator('path.series').count()).toBe(4);
  });

  test('has all settings by keyboard, and the plot’s values by pointer', async () => {
    const { page, race } = await raceWith(open);
    for (const [name, key] of [
      ['Tokens n', 'ArrowRight'],
      ['Width d', 'ArrowLeft'],
      ['Kernel size k', 'ArrowRight'],
    ] as const) {
      await race.getByRole('slider', { name }).focus();
      await page.keyboard.press(key);
    }
    expect(await race.locator('.counts caption').innerText()).toBe('n = 512, d = 64, k = 5');
    await race.getByRole('radio', { name: 'n' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await race.getByRole('radio', { name: 'd' }).isChecked()).toBe(true);
    const box = await race.locator('.plot svg').boundingBox();
    await race.locator('.plot').click({ position: { x: 36, y: (box?.height ?? 0) / 2 } });
    expect(await race.locator('.counts caption').innerText()).toBe('n = 512, d = 16, k = 5');
  });

  test('after a race, curves with one time on the new axis have no label, and only counts cross', async () => {
    // Times on up to four threads.
    const script = `${FAST}
      Object.defineProperty(globalThis, 'crossOriginIsolated', { value: true });
      Object.defineProperty(Navigator.prototype, 'hardwareConcurrency', { value: 4 });`;
    const { race } = await raceWith(open, { length: '8192' }, { script });
    const labels = race.locator('.curve-label');
    const readout = race.locator('p.readout');
    await race.getByRole('button', { name: 'Start the race' }).click();
    await race.getByText('Measured on').waitFor();
    expect(await labels.count()).toBe(8);
    expect(await readout.innerText()).toContain(
      'Crossings with attention’s mixing, by count: CNN at n\u00a0=\u00a0192, RNN at n\u00a0=\u00a0128.',
    );
    await race.getByRole('radio', { name: 'd', exact: true }).check();
    expect(await labels.count()).toBe(await race.locator('path.series').count());
    expect(await readout.innerText()).toContain(
      'Crossings with attention’s mixing, by count: CNN not in this range, RNN not in this range.',
    );
  });

  test.each([390, 1280])(
    'at %i px a legend says what stands beside the curves, and their names have dots once there are times',
    async (width) => {
      const { page, race } = await raceWith(open, {}, { script: FAST, viewport: { width, height: 800 } });
      expect(await race.locator('.legend span').allInnerTexts()).toEqual([
        'crossing by count',
        'measured time (right axis)',
        'faint line joining the measured times',
      ]);
      expect(await race.locator('.plot .curve-label + .dot').count()).toBe(0);
      await race.getByRole('button', { name: 'Start the race' }).click();
      await race.getByText('Measured on').waitFor();
      // Each name shows its curve's dot.
      const names = race.locator('.plot .curve-label + .dot');
      expect(await names.count()).toBe(CONTESTANTS.length);
      const looks = await names.evaluateAll((dots) => dots.map((dot) => dot.getAttribute('d')));
      expect(new Set(looks).size).toBe(CONTESTANTS.length);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);

      await race.evaluate((element) => (element as unknown as { reset(): void }).reset());
      expect(await names.count()).toBe(0);
    },
  );

  test.each([390, 1280])('at %i px a race moves neither its controls nor the counts below them', async (width) => {
    const { page, race } = await raceWith(open, {}, { script: FAST, viewport: { width, height: 844 } });
    const start = race.locator('.run button');
    const tops = (): Promise<number[]> =>
      race
        .locator('.controls *, .counts')
        .and(race.locator('input, button, .counts'))
        .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top));
    // Docked controls would not move anyway.
    await race.evaluate((element) => (element.style.marginBlock = '100vh'));
    await start.evaluate((button) => button.scrollIntoView({ block: 'center', behavior: 'instant' }));
    await page.evaluate(() => (document.documentElement.style.overflowAnchor = 'none'));
    const before = await tops();
    expect(before).toHaveLength(7);
    await start.click();
    await race.getByText('Measured on').waitFor();
    expect(await tops()).toEqual(before);
  });

  test('after a change of d or k it says what is not measured, and names machine and date only of shown times', async () => {
    const { race } = await raceWith(open, { axis: 'n', length: '8192', width: '1024' }, { script: FAST });
    const status = race.locator('p.machine');
    await race.getByRole('button', { name: 'Start the race' }).click();
    await status.getByText('Measured on').waitFor();
    // Points left out do not suggest another race, which would leave them out again.
    expect(await status.innerText()).toMatch(/Points left out .*: \d\.$/);
    const set = (name: string, value: string): Promise<void> => race.getByRole('slider', { name }).fill(value);

    await set('Kernel size k', '1');
    expect(await status.innerText()).toMatch(
      /^Measured on .* Not measured yet with these settings: CNN\. Start the race again\.$/,
    );
    await set('Width d', '6');
    expect(await race.locator('.counts .measured').allInnerTexts()).toEqual(['–', '–', '–', '–']);
    expect(await status.innerText()).toMatch(
      /Not measured yet with these settings: CNN, RNN, mixing alone, whole layer\. Start the race again\.$/,
    );
    expect(await status.innerText()).not.toContain('Measured on');
    expect(await race.locator('.plot .curve-label + .dot').count()).toBe(0);

    await race.getByRole('button', { name: 'Start the race' }).click();
    await status.getByText('Measured on').waitFor();
    expect(await status.innerText()).not.toContain('Not measured yet');
  });

  test('axe finds no violations', async () => {
    const { page } = await raceWith(open, {}, { colorScheme: 'dark' });
    expect(await violationsOf(page, 'complexity-race')).toEqual([]);
  });
});
