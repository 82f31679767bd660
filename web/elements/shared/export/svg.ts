import type { Picture } from '../../package-types.js';
import { SVG } from './cells.js';
import { Drawing } from './drawing.js';
import { clean, standalone } from './shapes.js';
import { atRest, childrenOf, isHidden, isLeftOut, turnOf } from './walk.js';

/** The margin around the picture, in CSS pixels. */
const MARGIN = 8;

/** A picture's words. */
export interface Caption {
  /** Its name. */
  readonly title: string;
  /** What it shows. */
  readonly description: string;
  /** The BCP 47 tag of both. */
  readonly language: string;
}

/**
 * The current contents of `root` as a standalone SVG: texts as text, inline SVG as it is, heat maps as rectangles of
 * their cells' colours, boxes with borders and backgrounds. Controls and texts for screen readers are left out.
 */
export function pictureOf(root: Element, { title, description, language }: Caption): Picture {
  const drawing = atRest(root, () => {
    const fresh = new Drawing(root.getBoundingClientRect());
    for (const child of childrenOf(root)) draw(child, fresh, 0);
    return fresh;
  });
  const { left, top, right, bottom } = drawing.bounds();
  const width = Math.ceil(right - left + 2 * MARGIN);
  const height = Math.ceil(bottom - top + 2 * MARGIN);
  const box = `${Math.floor(left - MARGIN)} ${Math.floor(top - MARGIN)} ${width} ${height}`;
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', box);
  svg.setAttribute('width', String(width));
  svg.setAttribute('height', String(height));
  svg.setAttribute('role', 'img');
  svg.setAttribute('lang', language);
  const named = (tag: 'title' | 'desc', text: string): SVGElement => {
    const element = document.createElementNS(SVG, tag);
    element.textContent = clean(text);
    return element;
  };
  svg.append(named('title', title), named('desc', description), drawing.paper(root, box), ...drawing.content);
  return {
    svg: `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(svg)}\n`,
    alt: description,
    width,
    height,
  };
}

/** Draws a node and its contents. `angle` is the rotation by the elements around it, in degrees. */
function draw(node: Node, drawing: Drawing, angle: number): void {
  if (node instanceof Text) {
    drawing.text(node, angle);
    return;
  }
  if (!(node instanceof Element) || isLeftOut(node)) return;
  const style = getComputedStyle(node);
  if (style.display === 'none' || isHidden(node, style)) return;
  const turned = angle + turnOf(style);
  drawing.within(node, style, () => {
    if (node instanceof SVGSVGElement) {
      drawing.shape(node, (prefix) => standalone(node, prefix));
      return;
    }
    if (style.visibility === 'visible') drawing.box(node, style);
    if (node instanceof HTMLCanvasElement) drawing.canvas(node, style);
    else for (const child of childrenOf(node)) draw(child, drawing, turned);
  });
}
