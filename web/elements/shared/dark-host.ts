import { paintOf } from './export/colour.js';

/**
 * Gives an element the dark scheme if the page has no `color-scheme` but light text, and so is dark without declaring
 * it.
 *
 * @param host where to look: the element itself before it has its own styles, an ancestor later
 */
export function followHost(element: HTMLElement, host: Element = element): void {
  const { color, colorScheme } = getComputedStyle(host);
  if (colorScheme !== 'normal') return;
  const [red = 0, green = 0, blue = 0] = (paintOf(color).colour.match(/\w\w/g) ?? []).map((channel) =>
    parseInt(channel, 16),
  );
  // Luma from 0 to 255, as in ITU-R BT.601.
  if (0.299 * red + 0.587 * green + 0.114 * blue > 140) element.style.colorScheme = 'dark';
}
