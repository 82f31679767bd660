/** Whether an element is rendered, and not in a closed answer. Safari before 17.4 has no `checkVisibility`. */
export function isVisible(element: Element): boolean {
  return element.checkVisibility?.() ?? element.getClientRects().length > 0;
}
