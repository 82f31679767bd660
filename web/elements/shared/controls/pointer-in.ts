/**
 * The pointer's position in the element that handles the event, in CSS pixels from its upper left corner. A figure in
 * full screen is magnified, so its own pixels are larger than the window's.
 */
export function pointerIn(event: MouseEvent): { readonly x: number; readonly y: number } {
  const element = event.currentTarget as Element;
  const { left, top } = element.getBoundingClientRect();
  const zoom = magnification(element);
  return { x: (event.clientX - left) / zoom, y: (event.clientY - top) / zoom };
}

/** The size of the element's CSS pixels in those of the window; 1 if the browser does not distinguish them. */
export function magnification(element: Element): number {
  // Engines without the property do not magnify either, or give all lengths in the window's pixels.
  return (element as { readonly currentCSSZoom?: number }).currentCSSZoom ?? 1;
}
