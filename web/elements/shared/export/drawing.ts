import { paintingOf } from '../heat-map/paint-cells.js';
import {
  backgroundBehind,
  bordersOf,
  brightnessOf,
  filled,
  fontOf,
  make,
  rounded,
  stroked,
  type Side,
} from './attributes.js';
import { cellsSvg, short } from './cells.js';
import { paintOf } from './colour.js';
import { clean } from './shapes.js';
import { baselineOf, placeOfText, runsOf } from './text.js';

/** The elements of a picture, collected in painting order. */
export class Drawing {
  readonly content: SVGElement[] = [];
  #into: { append(element: SVGElement): void } = { append: (element) => this.content.push(element) };
  #bounds = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  /** The visible part of the current element, which is clipped by scrolling boxes. */
  #window: DOMRect | undefined;
  #ids = 0;

  /** `origin` is the box whose upper left corner is the picture's. */
  constructor(private readonly origin: DOMRect) {}

  /** The smallest box around everything drawn, or the origin's if nothing is. */
  bounds(): { left: number; top: number; right: number; bottom: number } {
    const { width, height } = this.origin;
    return this.#bounds.left > this.#bounds.right ? { left: 0, top: 0, right: width, bottom: height } : this.#bounds;
  }

  /** The picture's background: the first one behind `element` that is not transparent. */
  paper(element: Element, viewBox: string): SVGElement {
    const [x = '', y = '', width = '', height = ''] = viewBox.split(' ');
    return make('rect', { x, y, width, height, fill: backgroundBehind(element) });
  }

  /** Draws an element with its opacity, clipped if it scrolls. */
  within(element: Element, style: CSSStyleDeclaration, drawIt: () => void): void {
    const scrolls =
      style.overflow !== 'visible' &&
      (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1);
    if (Number(style.opacity) >= 1 && !scrolls) {
      drawIt();
      return;
    }
    const group = make('g', Number(style.opacity) < 1 ? { opacity: style.opacity } : {});
    const [into, window] = [this.#into, this.#window];
    if (scrolls) {
      const id = this.#id();
      this.#window = element.getBoundingClientRect();
      const clip = make('clipPath', { id });
      clip.append(make('rect', this.#place(this.#window)));
      group.append(clip);
      group.setAttribute('clip-path', `url(#${id})`);
    }
    into.append(group);
    this.#into = group;
    drawIt();
    [this.#into, this.#window] = [into, window];
  }

  /** The background and the borders of an element. */
  box(element: Element, style: CSSStyleDeclaration): void {
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) return;
    const background = paintOf(style.backgroundColor);
    const radius = parseFloat(style.borderTopLeftRadius) || 0;
    if (background.opacity > 0) {
      this.#add('rect', { ...this.#place(box), ...rounded(radius), ...filled(background) }, box);
    }
    const borders = bordersOf(style);
    const [first] = borders;
    if (first === undefined) return;
    if (borders.length === 4 && borders.every(({ width, paint }) => width === first.width && paint === first.paint)) {
      const half = first.width / 2;
      const inner = new DOMRect(box.x + half, box.y + half, box.width - first.width, box.height - first.width);
      const radii = rounded(Math.max(0, radius - half));
      this.#add('rect', { ...this.#place(inner), ...radii, fill: 'none', ...stroked(first.paint, first.width) }, box);
      return;
    }
    for (const { side, width, paint } of borders) this.#border(side, box, width, paint);
  }

  /** The lines of a text node. */
  text(node: Text, angle: number): void {
    const parent = node.parentElement ?? (node.getRootNode() as ShadowRoot).host;
    if (parent === undefined || node.data.trim() === '') return;
    const style = getComputedStyle(parent);
    if (style.visibility !== 'visible') return;
    const upright = style.writingMode.startsWith('horizontal');
    const turned = angle + (upright ? 0 : 90);
    const baseline = baselineOf(style);
    for (const { text, box } of runsOf(
      node,
      style.whiteSpaceCollapse === 'preserve' || style.whiteSpace.startsWith('pre'),
    )) {
      const { x, y } = this.origin;
      const place = placeOfText(new DOMRect(box.x - x, box.y - y, box.width, box.height), baseline, style, turned);
      const looks = { ...fontOf(style), ...filled(paintOf(style.color)) };
      this.#add('text', { ...place, ...looks }, box).textContent = clean(text);
    }
  }

  /** An inline SVG at its place; `copy` gets a prefix for its ids. */
  shape(source: SVGSVGElement, copy: (prefix: string) => SVGElement): void {
    const box = source.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) return;
    const element = copy(`${this.#id()}-`);
    for (const [name, value] of Object.entries(this.#place(box))) element.setAttribute(name, value);
    if (getComputedStyle(source).overflow === 'visible') element.setAttribute('overflow', 'visible');
    this.#into.append(element);
    this.#grow(box);
    for (const part of source.querySelectorAll('text, circle, line, path, rect')) {
      if (part.closest('defs, pattern, clipPath, marker, mask') === null) this.#grow(part.getBoundingClientRect());
    }
  }

  /** A canvas: its painted cells, or its pixels if those are not known. */
  canvas(canvas: HTMLCanvasElement, style: CSSStyleDeclaration): void {
    const box = canvas.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) return;
    const painting = paintingOf(canvas);
    if (painting === undefined) {
      this.#add('image', { ...this.#place(box), href: canvas.toDataURL() }, box);
      return;
    }
    const element = cellsSvg(painting, brightnessOf(style));
    for (const [name, value] of Object.entries(this.#place(box))) element.setAttribute(name, value);
    this.#into.append(element);
    this.#grow(box);
  }

  #border(side: Side, box: DOMRect, width: number, paint: string): void {
    const { left, top, right, bottom } = box;
    const half = width / 2;
    const ends = {
      top: [left, top + half, right, top + half],
      right: [right - half, top, right - half, bottom],
      bottom: [left, bottom - half, right, bottom - half],
      left: [left + half, top, left + half, bottom],
    }[side];
    const { x, y } = this.origin;
    const [x1, y1, x2, y2] = ends.map((end, i) => short(end - (i % 2 === 0 ? x : y)));
    this.#add('line', { x1: x1!, y1: y1!, x2: x2!, y2: y2!, ...stroked(paint, width) }, box);
  }

  #add(name: string, attributes: Readonly<Record<string, string>>, box: DOMRect): SVGElement {
    const element = make(name, attributes);
    this.#into.append(element);
    this.#grow(box);
    return element;
  }

  #place({ x, y, width, height }: DOMRect): { x: string; y: string; width: string; height: string } {
    const [left, top] = [x - this.origin.x, y - this.origin.y];
    return { x: short(left), y: short(top), width: short(width), height: short(height) };
  }

  #grow(box: DOMRect): void {
    const seen = this.#window;
    const { x, y } = this.origin;
    const bounds = this.#bounds;
    bounds.left = Math.min(bounds.left, Math.max(box.left, seen?.left ?? -Infinity) - x);
    bounds.top = Math.min(bounds.top, Math.max(box.top, seen?.top ?? -Infinity) - y);
    bounds.right = Math.max(bounds.right, Math.min(box.right, seen?.right ?? Infinity) - x);
    bounds.bottom = Math.max(bounds.bottom, Math.min(box.bottom, seen?.bottom ?? Infinity) - y);
  }

  #id(): string {
    return `p${++this.#ids}`;
  }
}
