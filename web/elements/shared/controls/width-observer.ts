/** Tells of the width of what it observes, in CSS pixels; not of the nothing that is left of what is hidden. */
export function widthObserver(onWidth: (width: number) => void): ResizeObserver {
  return new ResizeObserver(([entry]) => {
    const width = entry?.contentRect.width ?? 0;
    if (width > 0) onWidth(width);
  });
}
