/** What the reader works the figure with, and what nobody sees: no part of the picture. */
const LEFT_OUT = [
  // A symbol of a formula may be a button and part of the picture all the same.
  'button:not([data-picture])',
  'details',
  'input',
  'select',
  'textarea',
  'script',
  'style',
  'template',
  '.controls',
  // What tells how to work it: a picture cannot be pointed at.
  '.hint',
  '.spoken',
  '[hidden]',
  '[popover]',
].join(', ');

export function isLeftOut(element: Element): boolean {
  return element.matches(LEFT_OUT);
}

/** Elements of no size that hide what is in them, and those that cannot be seen at all. */
export function isHidden(element: Element, style: CSSStyleDeclaration): boolean {
  if (Number(style.opacity) === 0) return true;
  const { width, height } = element.getBoundingClientRect();
  return style.overflow !== 'visible' && Math.min(width, height) <= 1 && style.position === 'absolute';
}

/** The nodes that are shown inside an element: those of its shadow root, or those put into its slot, or its own. */
export function childrenOf(element: Element): readonly Node[] {
  if (element.shadowRoot !== null) return [...element.shadowRoot.childNodes];
  if (element instanceof HTMLSlotElement) {
    const assigned = element.assignedNodes();
    if (assigned.length > 0) return assigned;
  }
  return [...element.childNodes];
}

/** By how many degrees clockwise a style turns its element. */
export function turnOf(style: CSSStyleDeclaration): number {
  if (style.transform === 'none' || style.transform === '') return 0;
  const { a, b } = new DOMMatrix(style.transform);
  return (Math.atan2(b, a) * 180) / Math.PI;
}

/**
 * Runs `measure` while whole rows of controls leave no gap, and a figure on the full screen is not magnified. Nothing is painted
 * meanwhile, so nobody sees it.
 */
export function atRest<T>(root: Element, measure: () => T): T {
  const around = root.getRootNode();
  const host = around instanceof ShadowRoot ? around.host : undefined;
  if (!(host instanceof HTMLElement)) return withoutRows(root, measure);
  const before = host.style.getPropertyValue('zoom');
  try {
    host.style.setProperty('zoom', '1');
    return withoutRows(root, measure);
  } finally {
    host.style.setProperty('zoom', before);
  }
}

function withoutRows<T>(root: Element, measure: () => T): T {
  const { width } = root.getBoundingClientRect();
  const rows = [...root.querySelectorAll<HTMLElement>('.controls')].filter(
    // A narrower box stands beside the picture, which would grow into its place.
    (row) => row.getBoundingClientRect().width > 0.9 * width,
  );
  const before = rows.map((row) => row.style.display);
  try {
    for (const row of rows) row.style.display = 'none';
    return measure();
  } finally {
    rows.forEach((row, index) => (row.style.display = before[index] ?? ''));
  }
}
