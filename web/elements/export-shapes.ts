import { SVG } from './export-cells.js';
import { paintOf } from './export-colour.js';

/** Properties that children take over: written only where they differ from the parent's. */
const INHERITED = [
  'fill-rule',
  'font-family',
  'font-size',
  'font-style',
  'font-weight',
  'font-variant-numeric',
  'letter-spacing',
  'paint-order',
  'shape-rendering',
  'stroke-dasharray',
  'stroke-dashoffset',
  'stroke-linecap',
  'stroke-linejoin',
  'stroke-width',
  'text-anchor',
  'visibility',
] as const;

/** Properties that children do not take over, with their initial values. */
const OWN: Readonly<Record<string, string>> = {
  'dominant-baseline': 'auto',
  opacity: '1',
  'vector-effect': 'none',
};

/** Attributes that mean something to a standalone picture; the rest is for the page. */
const DROPPED = /^(class|style|role|tabindex|focusable|aria-.*|data-.*|on.*|part|slot)$/;

/** Elements that mean something to the page alone. */
const LEFT_OUT = 'style, script, foreignObject, animate, animateTransform, set';

/** A copy of an SVG element whose looks no longer need the page's style sheets. `prefix` keeps its ids apart from others'. */
export function standalone(source: SVGElement, prefix: string): SVGElement {
  return copy(source, prefix, undefined);
}

function copy(source: SVGElement, prefix: string, around: CSSStyleDeclaration | undefined): SVGElement {
  const style = getComputedStyle(source);
  const element = document.createElementNS(SVG, source.localName);
  for (const { name, value } of source.attributes) {
    if (!DROPPED.test(name) && !name.includes(':'))
      element.setAttribute(name, localised(name, value, prefix));
  }
  paint(element, source, style, prefix);
  for (const name of INHERITED) {
    const value = style.getPropertyValue(name);
    if (value !== '' && value !== around?.getPropertyValue(name)) element.setAttribute(name, value);
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
  return !element.matches(LEFT_OUT) && getComputedStyle(element).display !== 'none';
}

/** Fill and stroke are always written: what a picture inherits where it is put is not known. */
function paint(element: SVGElement, source: SVGElement, style: CSSStyleDeclaration, prefix: string): void {
  // Containers paint nothing; their children carry their own.
  if (source.localName === 'svg' || source.localName === 'g') {
    element.removeAttribute('fill');
    element.removeAttribute('stroke');
    return;
  }
  for (const name of ['fill', 'stroke'] as const) {
    const value = style.getPropertyValue(name);
    const given = Number(style.getPropertyValue(`${name}-opacity`) || '1');
    if (value === '' || value === 'none' || value.startsWith('url(')) {
      element.setAttribute(name, value === '' ? 'none' : localised(name, value, prefix));
      continue;
    }
    const { colour, opacity } = paintOf(value);
    element.setAttribute(name, colour);
    if (opacity * given < 1) element.setAttribute(`${name}-opacity`, String(opacity * given));
    else element.removeAttribute(`${name}-opacity`);
  }
}

/** A transform that a style sheet gave becomes an attribute. */
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

/** Text without what XML cannot hold. */
export function clean(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are exactly what XML forbids
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '');
}
