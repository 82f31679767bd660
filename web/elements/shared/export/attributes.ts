import { short, SVG } from './cells.js';
import { paintOf, type Paint } from './colour.js';

type Attributes = Readonly<Record<string, string>>;

/** An SVG element with attributes. */
export function make(name: string, attributes: Attributes): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

export function filled({ colour, opacity }: Paint): Attributes {
  return { fill: colour, ...(opacity < 1 ? { 'fill-opacity': short(opacity) } : {}) };
}

/** A line of a computed colour. */
export function stroked(computed: string, width: number): Attributes {
  const { colour, opacity } = paintOf(computed);
  const line = { stroke: colour, 'stroke-width': short(width) };
  return opacity < 1 ? { ...line, 'stroke-opacity': short(opacity) } : line;
}

export function rounded(radius: number): Attributes {
  return radius > 0 ? { rx: short(radius) } : {};
}

/** The font of a text. The last of its families is generic, for machines without the others. */
export function fontOf(style: CSSStyleDeclaration): Attributes {
  const generic = /(^|,)\s*(serif|sans-serif|monospace|cursive|fantasy|math)\s*$/.test(style.fontFamily);
  return {
    'font-family': generic ? style.fontFamily : `${style.fontFamily}, sans-serif`,
    'font-size': style.fontSize,
    ...(style.fontWeight === '400' ? {} : { 'font-weight': style.fontWeight }),
    ...(style.fontStyle === 'normal' ? {} : { 'font-style': style.fontStyle }),
  };
}

/** The anchor of a line of text, from its paragraph's alignment, so that the line keeps its place in another font. */
export function anchorOf(style: CSSStyleDeclaration, x: number, width: number): [Attributes, number] {
  if (style.textAlign.endsWith('center')) return [{ 'text-anchor': 'middle' }, x + width / 2];
  if (/right|end/.test(style.textAlign)) return [{ 'text-anchor': 'end' }, x + width];
  return [{}, x];
}

/** The factor of a `filter: brightness(…)`. */
export function brightnessOf(style: CSSStyleDeclaration): number {
  return Number(/brightness\(([\d.]+)\)/.exec(style.filter)?.[1] ?? 1);
}

const SIDES = ['top', 'right', 'bottom', 'left'] as const;
export type Side = (typeof SIDES)[number];

/** An element's visible borders. */
export function bordersOf(style: CSSStyleDeclaration): { side: Side; width: number; paint: string }[] {
  return SIDES.map((side) => ({
    side,
    width:
      style.getPropertyValue(`border-${side}-style`) === 'none'
        ? 0
        : parseFloat(style.getPropertyValue(`border-${side}-width`)) || 0,
    paint: style.getPropertyValue(`border-${side}-color`),
  })).filter(({ width, paint }) => width > 0 && paintOf(paint).opacity > 0);
}

/** The colour behind an element: the first visible background around it, or else that of an empty page. */
export function backgroundBehind(element: Element): string {
  let node: Node | null = element;
  while (node instanceof Element || node instanceof ShadowRoot) {
    if (node instanceof Element) {
      const { colour, opacity } = paintOf(getComputedStyle(node).backgroundColor);
      if (opacity > 0) return colour;
    }
    node = node instanceof ShadowRoot ? node.host : node.parentNode;
  }
  const dark =
    getComputedStyle(element).colorScheme.includes('dark') && matchMedia('(prefers-color-scheme: dark)').matches;
  return dark ? '#121212' : '#ffffff';
}
