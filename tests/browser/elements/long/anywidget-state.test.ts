/**
 * A widget of `wasm-attention/anywidget` shows its state, whatever it has shown before, and its state follows what it
 * shows.
 */
import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { host, showHeads, useNotebook, type Hosting } from '../../notebook.js';

const { open } = useNotebook();

type Traits = Readonly<Record<string, unknown>>;

const show = (page: Page, traits: Traits): Promise<number> =>
  page.evaluate((traits) => (window as unknown as Hosting).host.show(traits), traits);
const change = (page: Page, traits: Traits, widget = 0): Promise<unknown> =>
  host(page, (host, [widget, traits]) => host.change(widget, traits), [widget, traits] as const);
const settingsOf = (page: Page, widget = 0): Promise<unknown> =>
  host(page, (host, widget) => host.traits(widget).settings, widget);
const propertyOf = (page: Page, selector: string, name: string): Promise<unknown> =>
  page.locator(selector).evaluate((element, name) => (element as unknown as Record<string, unknown>)[name], name);
const alerts = (page: Page): Promise<string[]> => page.getByRole('alert').allInnerTexts();

test('of two names of a setting the later one counts', async () => {
  const page = await open();
  await show(page, { figure: 'heat-map', values: [[0, 1]], settings: { rowName: 'one', row_name: 'two' } });
  await page.locator('heat-map .plot').waitFor();
  expect(await settingsOf(page)).toEqual({ row_name: 'two' });
  expect(await propertyOf(page, 'heat-map', 'rowName')).toBe('two');
  await change(page, { settings: { row_name: 'two', rowName: 'three' } });
  expect(await propertyOf(page, 'heat-map', 'rowName')).toBe('three');
  expect(await settingsOf(page)).toEqual({ rowName: 'three' });
  await page.close();
});

test('the reader’s changes are settings of the model', async () => {
  const page = await open();
  await show(page, { figure: 'attention-masks', settings: { valid: '4', left: 1 } });
  const figure = page.locator('attention-masks');
  await figure.and(page.locator('[drawn]')).waitFor();
  await figure.locator('#valid').focus();
  await page.keyboard.press('ArrowLeft');
  const settings = (await settingsOf(page)) as Traits;
  expect(settings).toMatchObject({ valid: 3, left: 1 });
  await change(page, { settings: { ...settings, valid: '2' } });
  expect(await propertyOf(page, 'attention-masks', 'valid')).toBe(2);
  await page.close();
});

describe('what is removed is no longer shown:', () => {
  test('settings, set by the kernel or by the reader', async () => {
    const page = await open();
    await show(page, { figure: 'attention-masks', settings: {} });
    const figure = page.locator('attention-masks');
    await figure.and(page.locator('[drawn]')).waitFor();
    const names = ['left', 'valid'];
    const values = () => Promise.all(names.map((name) => propertyOf(page, 'attention-masks', name)));
    const first = await values();
    await change(page, { settings: { left: 0, valid: 7 } });
    expect(await values()).toEqual([0, 7]);
    await change(page, { settings: {} });
    expect(await values()).toEqual(first);
    await figure.evaluate((element) =>
      (element as unknown as { change: (settings: object) => void }).change({ left: 1 }),
    );
    expect(await settingsOf(page)).toMatchObject({ left: 1 });
    await change(page, { settings: { valid: 6 } });
    expect(await values()).toEqual([first[0], 6]);
    await page.close();
  });

  test('settings of an element without a list of settings', async () => {
    const page = await open();
    await showHeads(page, 2, 3, 4);
    await change(page, { settings: { layer: 2, head: 3, view: 'lines' } });
    await page.locator('head-viewer .lines').waitFor();
    await change(page, { settings: { head: null } });
    await page.locator('head-viewer heat-map').waitFor();
    expect(await page.locator('head-viewer .large .name').innerText()).toContain('Layer 1, head 1');
    await page.close();
  });

  test('head numbers beyond the last one become the last, as in a new view', async () => {
    const page = await open();
    await showHeads(page, 2, 3, 4);
    await page.locator('head-viewer[drawn]').waitFor();
    await change(page, { settings: { layer: 9, head: 9 } });
    await page.waitForFunction(() =>
      document.querySelector('head-viewer')!.shadowRoot!.textContent.includes('Layer 2, head 3'),
    );
    await page.close();
  });

  test.each([
    ['head-viewer', 'weights', '.readout'],
    ['heat-map', 'values', '.plot'],
  ])('the array of %s', async (figure, trait, shown) => {
    const page = await open();
    const array = [
      [1, 0],
      [0.5, 0.5],
    ];
    await show(page, { figure, settings: { label: 'Map' } });
    await page.locator(`${figure} ${shown}`).waitFor();
    const parts = () =>
      page.locator(figure).evaluate((element) => element.shadowRoot!.textContent.replace(/\s+/g, ' '));
    const first = await parts();
    await change(page, { [trait]: array, tokens: ['a', 'b'] });
    await page.waitForFunction(
      ([tag, first]) => document.querySelector(tag!)!.shadowRoot!.textContent.replace(/\s+/g, ' ') !== first,
      [figure, first],
    );
    await change(page, { [trait]: null, tokens: null });
    await page.waitForFunction(
      ([tag, first]) => document.querySelector(tag!)!.shadowRoot!.textContent.replace(/\s+/g, ' ') === first,
      [figure, first],
    );
    expect(await page.locator(figure).count()).toBe(1);
    expect(await alerts(page)).toEqual([]);
    await page.close();
  });
});

test('figures of a group report what they show, each in its own state, once', async () => {
  const page = await open();
  await show(page, { figure: 'positional-heatmap', settings: { group: 'P', length: 30 } });
  await show(page, { figure: 'positional-curves', settings: { group: 'P', length: 20 } });
  await page.locator('positional-heatmap[drawn]').waitFor();
  await page.locator('positional-curves[drawn]').waitFor();
  // The second figure adopts the state of the first.
  expect(await settingsOf(page, 1)).toMatchObject({ group: 'P', length: 30 });
  const sent = () => Promise.all([0, 1].map((widget) => host(page, (host, widget) => host.sent(widget), widget)));
  expect(await sent()).toEqual([0, 1]);
  const slider = page.locator('positional-heatmap #length');
  await slider.focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => (window as unknown as Hosting).host.sent(1) === 2);
  for (const widget of [0, 1]) expect(await settingsOf(page, widget)).toMatchObject({ length: 31 });
  expect(await propertyOf(page, 'positional-curves', 'length')).toBe(31);
  await page.waitForTimeout(100);
  expect(await sent()).toEqual([1, 2]);
  await page.close();
});

test('a heat map keeps the given range of its colours', async () => {
  const page = await open();
  await show(page, { figure: 'heat-map', values: [[0, 0.5]], settings: { low: -2, high: 4 } });
  const ends = () => Promise.all(['low', 'high'].map((name) => propertyOf(page, 'heat-map', name)));
  expect(await ends()).toEqual([-2, 4]);
  await change(page, { values: [[0, 9]] });
  expect(await ends()).toEqual([-2, 4]);
  await change(page, { settings: { high: 5 } });
  expect(await ends()).toEqual([0, 5]);
  await change(page, { settings: {} });
  expect(await ends()).toEqual([0, 9]);
  await page.close();
});

test('an invalid setting name is reported, and the figure does not change', async () => {
  const page = await open();
  await show(page, { figure: 'attention-masks', settings: { 'a b': 1 } });
  const message = 'expected settings to be named like attributes, got "a b"';
  expect(await alerts(page)).toEqual([message]);
  await change(page, { settings: { left: 2 } });
  await page.locator('attention-masks[drawn]').waitFor();
  expect(await alerts(page)).toEqual([]);
  await change(page, { settings: { left: 1, 'a b': 1 } });
  expect(await alerts(page)).toEqual([message]);
  expect(await propertyOf(page, 'attention-masks', 'left')).toBe(2);
  await page.close();
});

test('the hint of a viewer with one head is as wide as its column', async () => {
  const page = await open({ width: 700 });
  await showHeads(page, 1, 1, 4);
  const { height, width } = (await page.locator('head-viewer .hint').first().boundingBox())!;
  expect(width).toBeGreaterThan(500);
  expect(height).toBeLessThan(60);
  expect((await page.locator('head-viewer .grid').boundingBox())!.width).toBe(80);
  await page.close();
});
