/** How many places along each key moves in a list; in a grid, up and down move a whole row. */
export const ALONG = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity };

/**
 * Moves the focus among the items of a group that has one tab stop.
 *
 * @param event a key in the group, which is its current target
 * @param items a selector of the items
 * @param steps how many places each key moves; infinitely many lead to an end
 * @param go receives the new place, before it has the focus
 */
export function rove(
  event: KeyboardEvent,
  items: string,
  steps: Readonly<Record<string, number>>,
  go: (place: number) => void,
): void {
  const step = steps[event.key];
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  const all = [...(event.currentTarget as Element).querySelectorAll<HTMLElement>(items)];
  const at = all.findIndex((item) => item.contains(event.target as Node));
  if (at < 0) return;
  const place = Number.isFinite(step) ? at + step : step < 0 ? 0 : all.length - 1;
  event.preventDefault();
  if (all[place] === undefined) return;
  go(place);
  all[place].focus();
}
