/**
 * Calls `onSize` with a canvas's size in device pixels, now and whenever it changes: layout, zoom, or a move to a screen
 * of another density. Returns a function that stops it.
 */
export function watchDevicePixels(
  canvas: HTMLCanvasElement,
  onSize: (width: number, height: number) => void,
): () => void {
  const stops: (() => void)[] = [];
  const observer = new ResizeObserver(([entry]) => {
    const exact = entry?.devicePixelContentBoxSize?.[0];
    if (exact !== undefined) onSize(exact.inlineSize, exact.blockSize);
    else measure();
  });
  const measure = (): void => {
    const box = canvas.getBoundingClientRect();
    onSize(Math.round(box.width * devicePixelRatio), Math.round(box.height * devicePixelRatio));
  };
  try {
    observer.observe(canvas, { box: 'device-pixel-content-box' });
  } catch {
    // Engines without that box: the observer tells of layout, a media query of density.
    observer.observe(canvas);
    stops.push(watchDensity(measure));
  }
  return () => {
    observer.disconnect();
    for (const stop of stops) stop();
  };
}

function watchDensity(onChange: () => void): () => void {
  let query: MediaQueryList;
  const changed = (): void => {
    listen();
    onChange();
  };
  const listen = (): void => {
    query = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    query.addEventListener('change', changed, { once: true });
  };
  listen();
  return () => query.removeEventListener('change', changed);
}
