import { expect, test } from '@jest/globals';
import { useBrowser } from '../browser.js';
import { openWhole, undrawn } from './whole.js';

const { open } = useBrowser();

test('without a network every figure is drawn, none of which had been seen', async () => {
  const visited = await open({ path: '/tr/', offline: true, figures: [] });
  await visited.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated');
  await visited.context().setOffline(true);
  const page = await openWhole(() => visited.goto(new URL('../en/', visited.url()).href).then(() => visited));
  expect(await undrawn(page)).toEqual([]);
});
