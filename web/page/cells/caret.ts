/** The index of the character in an element at a point of the window, or the end if there is none. */
export function caretOffset(element: Element, x: number, y: number): number {
  const [node, offset] = caretAt(x, y);
  if (node === null || !element.contains(node)) return element.textContent?.length ?? 0;
  const before = document.createRange();
  before.setStart(element, 0);
  before.setEnd(node, offset);
  return before.toString().length;
}

/** Without this function (Safari before 26.2) the cursor goes to the end. */
function caretAt(x: number, y: number): [Node | null, number] {
  if (!('caretPositionFromPoint' in document)) return [null, 0];
  const position = document.caretPositionFromPoint(x, y);
  return [position?.offsetNode ?? null, position?.offset ?? 0];
}
