/** Controls and invisible elements are not part of the picture. */
const SKIPPED = [
  // A symbol of a formula may be a button and still be part of the picture.
  'button:not([data-picture])',
  'details',
  'input',
  'select',
  'textarea',
  'script',
  'style',
  'template',
  '.controls',
  '[data-control]',
  // Hints on how to use the figure do not apply to a picture.
  '.hint',
  '.spoken',
  '[hidden]',
  '[popover]',
].join(', ');

export function isLeftOut(element: Element): boolean {
  return element.matches(SKIPPED);
}

/** Elements without size that hide their contents, and invisible ones. */
export function isHidden(element: Element, style: CSSStyleDeclaration): boolean {
  if (Number(style.opacity) === 0) return true;
  const { width, height } = element.getBoundingClientRect();
  return style.overflow !== 'visible' && Math.min(width, height) <= 1 && style.position === 'absolute';
}

/** The nodes that an element displays: those of its shadow root, those in its slot, or its own. */
export function childrenOf(element: Element): readonly Node[] {
  if (element.shadowRoot !== null) return [...element.shadowRoot.childNodes];
  if (element instanceof HTMLSlotElement) {
    const assigned = element.assignedNodes();
    if (assigned.length > 0) return assigned;
  }
  return [...element.childNodes];
}

/** An element's own rotation, in degrees clockwise. */
export function turnOf(style: CSSStyleDeclaration): number {
  if (style.transform === 'none' || style.transform === '') return 0;
  const { a, b } = new DOMMatrix(style.transform);
  return (Math.atan2(b, a) * 180) / Math.PI;
}

/**
 * Runs `measure` without the gaps of controls and without the magnification of full screen. Nothing is painted
 * meanwhile, so the reader does not see it.
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
  const rows = [...root.querySelectorAll<HTMLElement>('.controls, [data-control]')].filter(
    // A narrower box is beside the picture, which would grow into its place, except where it is marked. An element with
    // `display: contents` has no box.
    (row) =>
      row.matches('[data-control]') || row.offsetParent === null || row.getBoundingClientRect().width > 0.9 * width,
  );
  const before = rows.map((row) => row.style.display);
  try {
    for (const row of rows) row.style.display = 'none';
    return measure();
  } finally {
    rows.forEach((row, index) => (row.style.display = before[index] ?? ''));
  }
}
