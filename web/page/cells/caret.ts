/** The character of an element's text at a point of the window, counted from 0; its end where there is none. */
export function caretOffset(element: Element, x: number, y: number): number {
  const [node, offset] = caretAt(x, y);
  if (node === null || !element.contains(node)) return element.textContent?.length ?? 0;
  const before = document.createRange();
  before.setStart(element, 0);
  before.setEnd(node, offset);
  return before.toString().length;
}

/** Engines without the function (Safari before 26.2) have the cursor at the end. */
function caretAt(x: number, y: number): [Node | null, number] {
  if (!('caretPositionFromPoint' in document)) return [null, 0];
  const position = document.caretPositionFromPoint(x, y);
  return [position?.offsetNode ?? null, position?.offset ?? 0];
}
