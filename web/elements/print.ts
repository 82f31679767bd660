import { brightnessOf } from './shared/export/attributes.js';
import { cellsSvg } from './shared/export/cells.js';
import { paintingOf } from './shared/heat-map/paint-cells.js';

/** Replaces the bitmaps of all heat maps by drawings, which are as sharp as the printer. Returns functions that undo it. */
export function freezeHeatMaps(root: ParentNode = document): (() => void)[] {
  return canvasesIn(root).flatMap((canvas) => {
    const painting = paintingOf(canvas);
    if (painting === undefined) return [];
    const style = getComputedStyle(canvas);
    const drawing = cellsSvg(painting, brightnessOf(style));
    drawing.setAttribute('class', canvas.className);
    drawing.setAttribute('aria-hidden', 'true');
    // In the flow, the drawing needs the size that a canvas has by default.
    for (const side of ['width', 'height'] as const) drawing.style[side] = style[side];
    canvas.after(drawing);
    canvas.hidden = true;
    canvas.style.display = 'none';
    return [
      () => {
        drawing.remove();
        canvas.hidden = false;
        canvas.style.display = '';
      },
    ];
  });
}

function canvasesIn(root: ParentNode): HTMLCanvasElement[] {
  return [...root.querySelectorAll('*')].flatMap((element) => [
    ...(element instanceof HTMLCanvasElement ? [element] : []),
    ...(element.shadowRoot === null ? [] : canvasesIn(element.shadowRoot)),
  ]);
}
