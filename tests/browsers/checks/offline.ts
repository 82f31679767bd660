import { expect, test } from '@jest/globals';
import { ISOLATED } from '../../../scripts/static-host.mjs';
import { serve, type Visit } from '../visit.js';

export function checkOffline(visit: Visit): void {
  test.each([
    ['host', {}],
    ['cross-origin isolated host', ISOLATED],
  ])('without its %s, the page opens again, draws figures and runs cells', async (_, headers) => {
    const host = await serve({ headers });
    await visit.open('/en/', { origin: host.origin });
    // Not its state, which WebKit does not always update. It takes control once it is activated.
    await visit.browser.until(() => navigator.serviceWorker.controller !== null);
    await visit.browser.until(async () => (await caches.match(location.href)) !== undefined);
    await host.close();
    await visit.reload();
    expect(await visit.browser.run(() => fetch('nothing').catch(() => 'offline'))).toBe('offline');
    await visit.reach('encoding-rotation');
    await visit.middleOf('code-cell');
    await visit.click('.run');
    await visit.browser.until(() => findAll('.origin')[0]?.textContent === 'Output of your run');
    const text = await visit.browser.run(
      () => findAll('code-cell')[0]!.shadowRoot!.querySelector('.output')!.textContent,
    );
    expect(text).toContain('[2, 4, 100]');
    // Back to a page that keeps its messages.
    await visit.open();
  });
}
