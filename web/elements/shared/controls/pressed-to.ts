/**
 * The position, from 0 to `last`, to which a key press moves a hand; undefined for other keys. Shift takes five steps.
 */
export function pressedTo(from: number, last: number, event: KeyboardEvent): number | undefined {
  const way = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
  if (way === undefined || event.altKey || event.ctrlKey || event.metaKey) return undefined;
  return Math.min(last, Math.max(0, from + way * (event.shiftKey ? 5 : 1)));
}
