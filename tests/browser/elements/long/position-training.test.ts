import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { tableOf } from '../../shown.js';

const { open, expectErrors } = useBrowser();

const alone = () => openAlone(open, 'position-training');
/** The largest weight of all maps. */
const strongest = (training: Locator): Promise<number> =>
  training
    .locator('.heads heat-map')
    .evaluateAll((all) =>
      Math.max(...(all as (HTMLElement & { values: Float32Array })[]).flatMap(({ values }) => [...values])),
    );
const button = (training: Locator, name: string | RegExp): Locator => training.getByRole('button', { name });

test('shows the values of all curves at the step below the pointer', async () => {
  const { page, figure: training } = await alone();
  const labels = (): Promise<string[]> => training.locator('text.curve-label').allTextContents();
  expect(await labels()).toHaveLength(6);
  const [, ...row] = (await tableOf(training)).find(([step]) => Math.abs(Number(step) - 100) <= 5)!;
  // The columns alternate between loss and accuracy.
  const loss = row.filter((_, column) => column % 2 === 0).map((text) => Number(text).toFixed(2));
  const accuracy = row.filter((_, column) => column % 2 === 1).map((text) => `${Math.round(100 * Number(text))}%`);
  for (const [measure, values] of Object.entries({ accuracy, loss })) {
    await training.getByRole('radio', { name: measure }).check();
    const plot = training.locator('.readable');
    await plot.scrollIntoViewIfNeeded();
    const { y, height } = (await plot.boundingBox())!;
    const number = (await plot.locator('text', { hasText: /^100$/ }).boundingBox())!;
    await page.mouse.move(number.x + number.width / 2, y + height / 2);
    await training.locator('.reading').waitFor({ state: 'attached' });
    const shown = (await labels()).filter((text) => /^[\d.]+%?$/.test(text));
    expect(shown.sort()).toEqual(values.sort());
    await page.mouse.move(0, 0);
  }
});

test('pauses, resumes and stops by keyboard alone', async () => {
  const { figure: training } = await alone();
  await training.getByLabel('none').check();
  const readout = training.locator('.readout');
  await button(training, 'Train: none').press('Enter');
  await readout.getByText(/step \d+ of 400/).waitFor();
  await button(training, 'Pause').press('Space');
  await button(training, 'Resume').waitFor();
  const at = await readout.innerText();
  await training.page().waitForTimeout(300);
  expect(await readout.innerText()).toBe(at);
  await button(training, 'Resume').press('Enter');
  await button(training, 'Pause').waitFor();
  await button(training, 'Stop').press('Enter');
  await readout.getByText(/none: stopped after \d+ steps/).waitFor();
  await button(training, 'Train: none').waitFor();
});

test('is never empty: if a seed has no curves yet, another seed’s are shown, faint, but never another task’s', async () => {
  const { figure: training } = await alone();
  const [curves, faint] = ['', '.faint'].map((which) => training.locator(`path${which}[data-positions]`)) as [
    Locator,
    Locator,
  ];
  const counts = async (): Promise<number[]> => [await curves.count(), await faint.count()];
  expect(await counts()).toEqual([6, 0]);
  await training.getByLabel('output the sequence backwards').check();
  await training.locator('.readout', { hasText: 'computed in advance' }).waitFor();
  expect(await counts()).toEqual([6, 0]);

  await training.getByLabel('Seed').fill('2');
  await training
    .locator('.readout', { hasText: 'Faint: the curves of the task “output the sequence backwards” with seed 1' })
    .waitFor();
  expect(await counts()).toEqual([6, 6]);
  await button(training, 'Train: learned').click();
  await training.locator('.readout', { hasText: /step \d+ of 400/ }).waitFor();
  expect(await counts()).toEqual([6, 5]);
  await training.getByLabel('name the token 3 places back').check();
  await training
    .locator('.readout', { hasText: 'Faint: the curves of the task “name the token 3 places back” with seed 1' })
    .waitFor();
  expect(await counts()).toEqual([6, 6]);
});

test('trains the model without positions, which does not learn, as the last of the six', async () => {
  const { figure: training } = await alone();
  await training.getByLabel('none').check();
  await button(training, 'Train all six').click();
  await training.locator('.readout', { hasText: /sinusoidal: step/ }).waitFor();
  await button(training, 'Stop').click();
});

test('with seed 1 it starts with the trained model’s attention, which changes with the positions', async () => {
  const { figure: training } = await alone();
  await training.locator('.readout', { hasText: 'Curves and maps were computed in advance' }).waitFor();
  expect(await strongest(training)).toBeGreaterThan(0.99);
  await training.getByLabel('ALiBi').check();
  await training.getByLabel('Where head 1 looks: ALiBi').waitFor();
  expect(await strongest(training)).toBeLessThan(0.4);
});

test('if the trained model’s maps cannot be loaded, it shows the untrained model and says so', async () => {
  const { page, figure: training } = await openAlone(open, 'position-training', { figures: [] });
  await page.route('**/computed-maps-*', (route) => route.abort());
  await page.reload();
  await training
    .locator('.readout', { hasText: /computed in advance.*The maps show the model before training/ })
    .waitFor();
  expect(await strongest(training)).toBeLessThan(2 / 32);
  expectErrors(/^failed: .*computed-maps|ERR_FAILED/);
});

test('with another seed it shows the untrained model’s attention, nearly uniform', async () => {
  const { figure: training } = await alone();
  await training.getByLabel('Seed').fill('2');
  await training.locator('.readout', { hasText: 'The maps show the model before training' }).waitFor();
  const maps = training.locator('.heads heat-map');
  const [least, most, high] = await maps.evaluateAll((all) => {
    const found = all as (HTMLElement & { values: Float32Array; high: number })[];
    const values = found.flatMap(({ values }) => [...values]);
    return [Math.min(...values), Math.max(...values), found[0]!.high] as const;
  });
  // Untrained, each of 32 keys has about 1/32.
  expect(least).toBeGreaterThan(0.5 / 32);
  expect(most).toBeLessThan(2 / 32);
  // The colour scale ends at the largest weight, and says so.
  expect(high).toBeGreaterThanOrEqual(most);
  expect(high).toBeLessThan(most + 0.01);
  expect(await training.locator('.heads ~ .legend ramp-legend').locator('span').last().innerText()).toBe(String(high));
});

test('without workers it says so and still shows the model', async () => {
  const { page, figure: training } = await alone();
  await page.evaluate(() => {
    Object.defineProperty(globalThis, 'Worker', { value: undefined });
  });
  await button(training, 'Train: learned').click();
  await training.locator('.readout', { hasText: 'could not run here' }).waitFor();
  expect(await training.locator('heat-map').count()).toBe(4);
});
