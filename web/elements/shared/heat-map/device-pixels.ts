import { SizeObserver } from '../observers.js';

/**
 * Calls `onSize` with a canvas's size in device pixels, now and whenever it changes: by layout, zoom, or a move to a
 * screen of another density. Returns a function that stops it.
 */
export function watchDevicePixels(
  canvas: HTMLCanvasElement,
  onSize: (width: number, height: number) => void,
): () => void {
  const observer = new SizeObserver(([entry]) => {
    const box = canvas.getBoundingClientRect();
    const exact = entry?.devicePixelContentBoxSize?.[0];
    onSize(pixels(box.width, exact?.inlineSize), pixels(box.height, exact?.blockSize));
  });
  const observe = (): void => {
    observer.unobserve(canvas);
    try {
      observer.observe(canvas, { box: 'device-pixel-content-box' });
    } catch {
      // Engines without that box report only changes of layout.
      observer.observe(canvas);
    }
  };
  observe();
  const stopDensity = watchDensity(observe);
  return () => {
    observer.disconnect();
    stopDensity();
  };
}

/**
 * A length in device pixels: the one that the browser has snapped it to if known, otherwise rounded. Under an emulated
 * density Chromium reports the length at the real density, which is wrong here.
 */
function pixels(length: number, exact: number | undefined): number {
  const rounded = Math.round(length * devicePixelRatio);
  return exact !== undefined && Math.abs(exact - rounded) <= 1 ? exact : rounded;
}

function watchDensity(onChange: () => void): () => void {
  let query: MediaQueryList | undefined;
  const changed = (): void => {
    listen();
    onChange();
  };
  const listen = (): void => {
    query = globalThis.matchMedia?.(`(resolution: ${devicePixelRatio}dppx)`);
    query?.addEventListener('change', changed, { once: true });
  };
  listen();
  return () => query?.removeEventListener('change', changed);
}
