/**
 * Keeps a drag over a figure's drawing from selecting text: where nothing can be selected, WebKit begins at the nearest
 * text. Then the browser focuses nothing either, so that this does.
 */
export function selectNoText(event: MouseEvent): void {
  const path = event.composedPath();
  const inside = path
    .slice(0, path.indexOf(event.currentTarget!))
    .filter((part) => part instanceof HTMLElement || part instanceof SVGElement);
  const isIn = (selector: string): boolean => inside.some((part) => part.matches(selector));
  if (!isIn('svg, canvas') || isIn('button, label, a')) return;
  event.preventDefault();
  inside.find((part) => part.matches('[tabindex]'))?.focus({ preventScroll: true });
}
