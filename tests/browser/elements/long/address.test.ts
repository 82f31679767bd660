import { expect, test } from '@jest/globals';
import { useBrowser } from '../../browser.js';
import { CLIPBOARD, choose } from '../../shown.js';

const { open, origin } = useBrowser();

const FIGURES = ['attention-masks', 'encoding-similarity', 'positional-heatmap', 'encoding-rotation'];

test('the link restores a figure’s state, and reset the page’s settings', async () => {
  const page = await open({ figures: ['encoding-rotation'], ...CLIPBOARD });
  const figure = page.locator('encoding-rotation');
  await figure.getByLabel('Offset δ').fill('-7');
  await choose(figure, 'Copy link');
  await figure.getByText('Link copied').waitFor();
  const address = await page.evaluate(() => navigator.clipboard.readText());
  expect(address).toBe(`${origin()}/en/?fig-rotation=offset%3D-7#fig-rotation`);
  await page.goto('about:blank');
  await page.goto(address);
  await figure.locator('.readout').waitFor();
  expect(await figure.getByLabel('Offset δ').inputValue()).toBe('-7');
  await figure.getByRole('button', { name: 'Reset' }).click();
  expect(await figure.getByLabel('Offset δ').inputValue()).toBe('6');
  await page.waitForURL(`${origin()}/en/#fig-rotation`);
});

test('without a clipboard the URL is selected below the figure', async () => {
  const script = "Object.defineProperty(navigator, 'clipboard', { value: undefined });";
  const page = await open({ figures: ['encoding-rotation'], script });
  const figure = page.locator('encoding-rotation');
  await figure.getByLabel('Position i').fill('3');
  await choose(figure, 'Copy link');
  const field = figure.getByLabel('Address of the figure');
  expect(await field.inputValue()).toBe(`${origin()}/en/?fig-rotation=position%3D3#fig-rotation`);
  const selected = await field.evaluate((input: HTMLInputElement) => [input.selectionStart, input.selectionEnd]);
  expect(selected).toEqual([0, (await field.inputValue()).length]);
});

test.each([['granted'], ['denied']])(
  'the link holds the state of its own figure only, the clipboard %s',
  async (access) => {
    const script = access === 'denied' ? "Object.defineProperty(navigator, 'clipboard', { value: undefined });" : '';
    const path = '/en/?from=mail&fig-masks=valid%3D3&P=length%3D40';
    const page = await open({
      path,
      figures: ['encoding-rotation', 'positional-heatmap'],
      script,
      ...CLIPBOARD,
    });
    const figure = page.locator('encoding-rotation');
    await figure.getByLabel('Position i').fill('3');
    await choose(figure, 'Copy link');
    if (access === 'granted') await figure.getByText('Link copied').waitFor();
    const address =
      access === 'granted'
        ? await page.evaluate(() => navigator.clipboard.readText())
        : await figure.getByLabel('Address of the figure').inputValue();
    expect(address).toBe(`${origin()}/en/?from=mail&fig-rotation=position%3D3#fig-rotation`);
    // The page’s URL keeps all states.
    await page.waitForURL(/fig-masks/);
  },
);

test('the page’s URL follows the figures, keeps its other parts, and does not scroll', async () => {
  const page = await open({ path: '/en/?from=mail', figures: ['positional-heatmap'] });
  const curves = page.locator('positional-heatmap');
  await curves.getByLabel('Length n').scrollIntoViewIfNeeded();
  const before = await page.evaluate(() => scrollY);
  for (const length of ['20', '30', '40']) await curves.getByLabel('Length n').fill(length);
  await page.waitForURL(`${origin()}/en/?from=mail&P=length%3D40`);
  expect(await page.evaluate(() => scrollY)).toBe(before);
});

test('the page’s URL holds figures that change at the same time', async () => {
  const page = await open({ figures: ['positional-heatmap', 'encoding-rotation'] });
  await page.evaluate(() => {
    const change = (tag: string, settings: object): void =>
      (document.querySelector(tag) as unknown as { change(settings: object): void }).change(settings);
    change('positional-heatmap', { length: 20 });
    change('encoding-rotation', { position: 3 });
  });
  await page.waitForURL(`${origin()}/en/?P=length%3D20&fig-rotation=position%3D3`, { timeout: 5000 });
});

test('settings that a throttled browser refuses are written as soon as it accepts them, with those of other figures', async () => {
  const page = await open({ figures: ['positional-heatmap', 'encoding-rotation'] });
  const change = async (tag: string, settings: object): Promise<void> =>
    page.locator(tag).evaluate((figure, given) => {
      (figure as unknown as { change(settings: object): void }).change(given);
    }, settings);
  await page.evaluate(() => {
    history.replaceState = (): void => {
      document.body.dataset.refused = String(Number(document.body.dataset.refused ?? 0) + 1);
      throw new DOMException('too many calls', 'SecurityError');
    };
  });
  // Refused settings are tried again, so there may be more refusals than changes.
  const refused = (times: number) =>
    page.waitForFunction((least) => Number(document.body.dataset.refused) >= least, times);
  await change('positional-heatmap', { length: 20 });
  await refused(1);
  await change('encoding-rotation', { position: 3 });
  await refused(2);
  expect(page.url()).toBe(`${origin()}/en/`);
  await page.evaluate(() => Reflect.deleteProperty(history, 'replaceState'));
  await page.waitForURL(`${origin()}/en/?P=length%3D20&fig-rotation=position%3D3`, { timeout: 5000 });
});

test('an invalid link leaves every figure unchanged', async () => {
  const nonsense = new URLSearchParams({
    P: `length=NaN&width=1e9&base=<b>&columns=${'9 '.repeat(900)}&__proto__=1`,
    'fig-masks': 'valid=9&causal=constructor&seed=-1',
    'fig-rotation': '%',
  });
  const page = await open({ path: `/en/?${nonsense.toString()}`, figures: FIGURES });
  expect(await page.locator('positional-heatmap').getByLabel('Length n').inputValue()).toBe('60');
  expect(await page.locator('attention-masks').getByLabel('Valid length').inputValue()).toBe('5');
  expect(await page.locator('encoding-rotation').getByLabel('Offset δ').inputValue()).toBe('6');
});
