/**
 * All figures for a page that only has their tags: one script tag, and each figure's code is loaded when its reader comes within a
 * screen and a half of it. Figures that the page adds later are found, too.
 * @packageDocumentation
 */
import { parts, registry } from './registry.js';

const modules = { ...registry, ...parts };
const tags = Object.keys(modules).join();

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

function watch(root: ParentNode): void {
  for (const figure of root.querySelectorAll(tags)) {
    if (figure.matches(':not(:defined)')) near.observe(figure);
  }
}

watch(document);
new MutationObserver((records) => {
  for (const node of records.flatMap(({ addedNodes }) => [...addedNodes])) {
    if (node instanceof Element && node.parentNode !== null) watch(node.parentNode);
  }
}).observe(document, { childList: true, subtree: true });
