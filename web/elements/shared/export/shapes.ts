import { SVG } from './cells.js';
import { paintOf, type Paint } from './colour.js';

/** Inherited properties with their initial values. They are written only if they differ from the parent's. */
const INHERITED: Readonly<Record<string, string>> = {
  'fill-rule': 'nonzero',
  'font-family': '',
  'font-size': '',
  'font-style': 'normal',
  'font-variant-numeric': 'normal',
  'font-weight': '400',
  'letter-spacing': 'normal',
  'paint-order': 'normal',
  'shape-rendering': 'auto',
  'stroke-dasharray': 'none',
  'stroke-dashoffset': '0px',
  'stroke-linecap': 'butt',
  'stroke-linejoin': 'miter',
  'stroke-width': '1px',
  'text-anchor': 'start',
  visibility: 'visible',
};

/** The default paint. */
const UNPAINTED: Readonly<Record<string, string>> = { fill: '#000000', stroke: 'none' };

/** Properties that are not inherited, with their initial values. */
const OWN: Readonly<Record<string, string>> = {
  'dominant-baseline': 'auto',
  opacity: '1',
  'vector-effect': 'none',
};

/** Attributes that only the page needs. */
const DROPPED = /^(class|style|role|tabindex|focusable|aria-.*|data-.*|on.*|part|slot)$/;

/** Elements that only the page needs. */
const SKIPPED = 'style, script, foreignObject, animate, animateTransform, set, .hint';

/** A copy of an SVG element that does not need the page's style sheets. `prefix` makes its ids unique. */
export function standalone(source: SVGElement, prefix: string): SVGElement {
  return copy(source, prefix, undefined);
}

function copy(source: SVGElement, prefix: string, around: CSSStyleDeclaration | undefined): SVGElement {
  const style = getComputedStyle(source);
  const element = document.createElementNS(SVG, source.localName);
  for (const { name, value } of source.attributes) {
    if (!DROPPED.test(name) && !name.includes(':')) element.setAttribute(name, localised(name, value, prefix));
  }
  paint(element, source, style, prefix);
  for (const [name, initial] of Object.entries(INHERITED)) {
    const value = style.getPropertyValue(name);
    if (value !== (around?.getPropertyValue(name) ?? initial)) element.setAttribute(name, value);
    else element.removeAttribute(name);
  }
  for (const [name, initial] of Object.entries(OWN)) {
    const value = style.getPropertyValue(name);
    if (value !== '' && value !== initial) element.setAttribute(name, value);
  }
  turn(element, source, style);
  for (const child of source.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) element.append(clean(child.textContent ?? ''));
    if (child instanceof SVGElement && isShown(child)) element.append(copy(child, prefix, style));
  }
  return element;
}

function isShown(element: SVGElement): boolean {
  return !element.matches(SKIPPED) && getComputedStyle(element).display !== 'none';
}

/** Containers paint nothing; their children have their own paint. */
function paint(element: SVGElement, source: SVGElement, style: CSSStyleDeclaration, prefix: string): void {
  for (const [name, initial] of Object.entries(UNPAINTED)) {
    element.removeAttribute(name);
    element.removeAttribute(`${name}-opacity`);
    const value = style.getPropertyValue(name);
    if (source.localName === 'svg' || source.localName === 'g' || value === '') continue;
    const { colour, opacity } = inSvg(value, prefix);
    const whole = opacity * Number(style.getPropertyValue(`${name}-opacity`) || '1');
    if (colour !== initial) element.setAttribute(name, colour);
    if (whole < 1) element.setAttribute(`${name}-opacity`, String(whole));
  }
}

function inSvg(value: string, prefix: string): Paint {
  const plain = value === 'none' || value.startsWith('url(');
  return plain ? { colour: localised('fill', value, prefix), opacity: 1 } : paintOf(value);
}

/** A transform from a style sheet becomes an attribute. */
function turn(element: SVGElement, source: SVGElement, style: CSSStyleDeclaration): void {
  if (source.hasAttribute('transform') || style.transform === 'none' || style.transform === '') return;
  if (!(source instanceof SVGGraphicsElement) || source.localName === 'svg') return;
  const [x = 0, y = 0] = style.transformOrigin.split(' ').map(parseFloat);
  const { x: left, y: top } = style.transformBox === 'view-box' ? { x: 0, y: 0 } : source.getBBox();
  const [originX, originY] = [x + left, y + top];
  const matrix = new DOMMatrix(style.transform);
  const { a, b, c, d, e, f } = new DOMMatrix()
    .translate(originX, originY)
    .multiply(matrix)
    .translate(-originX, -originY);
  element.setAttribute('transform', `matrix(${[a, b, c, d, e, f].join(' ')})`);
}

function localised(name: string, value: string, prefix: string): string {
  if (name === 'id') return prefix + value;
  if (name === 'href') return value.replace(/^#/, `#${prefix}`);
  return value.replace(/url\(\s*["']?[^#)]*#([^"')]+)["']?\s*\)/g, (_, id: string) => `url(#${prefix}${id})`);
}

/** Text without characters that XML forbids. */
export function clean(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what XML forbids
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '');
}
