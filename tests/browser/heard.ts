/** What a screen reader would say: the changes of live regions, in all shadow roots. */
import type { Page } from 'playwright-core';

/** A text that was said, and when, in milliseconds since listening began. */
export interface Said {
  readonly text: string;
  readonly time: number;
}

/** How long after an action there may still be words, in milliseconds: figures pause before they speak. */
const PAUSE = 900;

/**
 * Listens to the page until the result is called, which returns what was said. A region says its whole text whenever it
 * changes to another one that is not empty; one that comes with its text says nothing.
 */
export async function listen(page: Page): Promise<() => Promise<Said[]>> {
  const log = await page.evaluateHandle(() => {
    const began = performance.now();
    const said: Said[] = [];
    const texts = new Map<Element, string>();
    const live = '[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]';
    const read = (region: Element): string => region.textContent ?? '';
    const observer = new MutationObserver((records) => {
      // Those that are new are known before anything is said.
      for (const { addedNodes } of records) for (const node of addedNodes) if (node instanceof Element) meet(node);
      for (const { target } of records) {
        const region = (target instanceof Element ? target : target.parentElement)?.closest(live);
        if (!region || texts.get(region) === read(region)) continue;
        texts.set(region, read(region));
        const text = read(region).replace(/\s+/g, ' ').trim();
        if (text !== '' && region.checkVisibility()) said.push({ text, time: performance.now() - began });
      }
    });
    const follow = (root: Document | ShadowRoot): void => {
      observer.observe(root, { subtree: true, childList: true, characterData: true });
      meet(root);
    };
    const meet = (top: Document | ShadowRoot | Element): void => {
      for (const element of [top, ...top.querySelectorAll('*')]) {
        if (!(element instanceof Element)) continue;
        if (element.matches(live) && !texts.has(element)) texts.set(element, read(element));
        if (element.shadowRoot) follow(element.shadowRoot);
      }
    };
    follow(document);
    return { said, stop: () => observer.disconnect() };
  });
  return () =>
    log.evaluate(({ said, stop }) => {
      stop();
      return said;
    });
}

/** What is said during an action and shortly after it. */
export async function heard(page: Page, action: () => Promise<unknown>): Promise<string[]> {
  const end = await listen(page);
  await action();
  await page.waitForTimeout(PAUSE);
  return (await end()).map(({ text }) => text);
}
