/** The figures in the page. They show a table of their numbers themselves, so the elements inside them do not. */
export const figureHosts = new WeakSet<Element>();

/** Whether `element` is drawn by a figure: one of the elements in whose shadow roots it stands. */
export function isInFigure(element: Element): boolean {
  for (let root = element.getRootNode(); root instanceof ShadowRoot; root = root.host.getRootNode()) {
    if (figureHosts.has(root.host)) return true;
  }
  return false;
}
