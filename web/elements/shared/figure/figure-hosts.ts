/** The figures in the page. They have a table of their numbers, so the elements inside them do not. */
export const figureHosts = new WeakSet<Element>();

/** Whether `element` is in a figure's shadow root, at any depth. */
export function isInFigure(element: Element): boolean {
  for (let root = element.getRootNode(); root instanceof ShadowRoot; root = root.host.getRootNode()) {
    if (figureHosts.has(root.host)) return true;
  }
  return false;
}
