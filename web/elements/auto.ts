/**
 * All figures by one script tag: each figure's code is loaded when it comes within a screen and a half of the window,
 * also for figures that the page adds later, and in open shadow roots.
 * @packageDocumentation
 */
import { figures, NearLoader, parts } from './registry.js';
import { hasElements } from './shared/define.js';

/** Loads the figures of this document, and of what is added to it. */
function start(): void {
  const loader = new NearLoader({ ...figures, ...parts }, '150% 0px');

  const added = new MutationObserver((records) => {
    for (const { addedNodes } of records) {
      for (const node of addedNodes) {
        if (node instanceof Element) [node, ...node.querySelectorAll('*')].forEach(visit);
      }
    }
  });

  function watch(root: Document | ShadowRoot | null): void {
    if (root === null) return;
    added.observe(root, { childList: true, subtree: true });
    root.querySelectorAll('*').forEach(visit);
  }

  function visit(element: Element): void {
    if (loader.watch(element)) return;
    const enter = (): void => watch(element.shadowRoot);
    if (element.matches(':defined')) enter();
    // Its shadow root comes with its definition.
    else void customElements.whenDefined(element.localName).then(enter, enter);
  }

  watch(document);
}

if (hasElements) start();
