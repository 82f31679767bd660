/**
 * All figures for a page that only has their tags: one script tag, and each figure's code is loaded when its reader
 * comes within a screen and a half of it. Figures that the page adds later are found, too, and those in the open shadow
 * roots of its elements.
 * @packageDocumentation
 */
import { parts, registry } from './registry.js';

const modules = { ...registry, ...parts };

const near = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      void load(target);
    }
  },
  { rootMargin: '150% 0px' },
);

async function load(figure: Element): Promise<void> {
  try {
    await modules[figure.localName]?.();
  } catch {
    // Most likely the network is gone: once it is back, whoever still looks at the figure gets it.
    addEventListener('online', () => near.observe(figure), { once: true });
  }
}

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
  const { localName } = element;
  const enter = (): void => watch(element.shadowRoot);
  if (localName in modules) near.observe(element);
  else if (element.matches(':defined')) enter();
  // Its shadow root comes with its definition.
  else void customElements.whenDefined(localName).then(enter, enter);
}

watch(document);
