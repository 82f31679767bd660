import { nothing, svg, type SVGTemplateResult } from 'lit';
import { RADIUS, REACH, type Point } from './scene.js';

/** In pixels of the plane's picture: a unit, half a side, and a side. */
const UNIT = 36;
const HALF = UNIT * (REACH + 0.5);
export const SIDE = 2 * HALF;

/** The axes' ticks. */
const TICKS = Array.from({ length: REACH }, (_, i) => UNIT * (i + 1)).flatMap((at) => [-at, at]);

/** Four small arrows pointing away from a point. */
const ARROWS = 'M0,-23l5,6h-10Z M0,23l5,-6h-10Z M-23,0l6,5v-10Z M23,0l-6,5v-10Z';

/** A point that the reader can move. */
export interface Handle {
  /** Unique in the figure: `q`, `k0`, `v2`. */
  readonly name: string;
  /** The label beside it: `q`, `k₁`. */
  readonly label: string;
  /** Its accessible name. */
  readonly spoken: string;
  /** Its coordinates as text. */
  readonly place: string;
  readonly at: Point;
  readonly shape: 'query' | 'circle' | 'square' | 'triangle';
  readonly className: string;
  /** Whether to show that it can be dragged. */
  readonly inviting?: boolean;
}

/** The mixture of the values, which the reader cannot move. */
export interface Mixture {
  readonly label: string;
  readonly spoken: string;
  readonly at: Point;
}

/** The planes' events. */
export interface PlaneEvents {
  readonly hold: (name: string) => void;
  readonly move: (name: string, to: Point) => void;
  readonly key: (name: string, event: KeyboardEvent) => void;
}

/** A point's place in the plane's picture. */
export function toPicture([x, y]: Point): Point {
  return [UNIT * x, -UNIT * y];
}

/** Grid, axes, the drawing behind the points, the points, and the mixture above them. */
export function plane(
  label: string,
  handles: readonly Handle[],
  behind: unknown,
  events: PlaneEvents,
  mixture?: Mixture,
): SVGTemplateResult {
  const labels = labelsOf(mixture ? [...handles, mixture] : handles, mixture?.at ?? [0, 0]);
  return svg`<svg class="plane" viewBox="${-HALF} ${-HALF} ${SIDE} ${SIDE}" role="group" aria-label=${label}>
    <rect class="ground" x=${-HALF} y=${-HALF} width=${2 * HALF} height=${2 * HALF} />
    ${[0, ...TICKS].map(
      (at) => svg`<line class=${at === 0 ? 'axis' : 'grid'} x1=${at} x2=${at} y1=${-HALF} y2=${HALF} />
      <line class=${at === 0 ? 'axis' : 'grid'} y1=${at} y2=${at} x1=${-HALF} x2=${HALF} />`,
    )}
    ${behind}${TICKS.map(tickNumbers)}
    ${handles.map((handle, i) => handleMark(handle, labels[i], events))}
    ${
      mixture &&
      svg`<g class="mixture" role="img" aria-label=${mixture.spoken} transform="translate(${toPicture(mixture.at).join(' ')})">
        ${markOf('diamond')}${labels[handles.length]}</g>`
    }
  </svg>`;
}

/** A tick's number below the x axis and to the right of the y axis. */
function tickNumbers(at: number): SVGTemplateResult {
  const number = String(at / UNIT).replace('-', '−');
  return svg`<text class="tick" x=${at} y="12" text-anchor="middle" aria-hidden="true">${number}</text>
    <text class="tick" x="5" y=${-at} dy="0.35em" aria-hidden="true">${number}</text>`;
}

/**
 * The points' labels, each on the first side of its point that is clearest of points, their cues, numbers, the lines
 * from `centre` to the points, and earlier labels.
 */
function labelsOf(points: readonly Pick<Handle, 'label' | 'at' | 'inviting'>[], centre: Point): SVGTemplateResult[] {
  const [cx, cy] = toPicture(centre);
  const ends = points.map(({ at }) => toPicture(at));
  const taken = [1, 0.85, 0.7, 0.55, 0.4].flatMap((part) =>
    ends.map(([x, y]): Point => [cx + part * (x - cx), cy + part * (y - cy)]),
  );
  for (const { at, inviting } of points) {
    const [x, y] = toPicture(at);
    if (inviting === true) taken.push([x, y - 20], [x, y + 20], [x - 20, y], [x + 20, y]);
  }
  for (const at of TICKS) taken.push([at, 8], [9, -at]);
  const isAtEdge = (component: number): boolean => Math.abs(component) > REACH - 0.25;
  return points.map(({ label, at: [x, y], inviting }) => {
    // The side away from the axes comes first, so that a label does not cover its own arrow, unless the edge is there.
    const away = (x < 0 ? -1 : 1) * (inviting === true ? 17 : 12);
    const [beyond, before] = y < 0 ? [17, -9] : [-9, 17];
    let most = 0;
    let best: [...Point, middle: Point] = [0, 0, [0, 0]];
    for (const dy of [isAtEdge(y) ? 4 : beyond, before, 4]) {
      for (const dx of isAtEdge(x) ? [-away] : [away, -away]) {
        const middle: Point = [UNIT * x + 1.8 * dx, dy - 4 - UNIT * y];
        const room = Math.min(
          ...taken.map((other) => Math.max(Math.abs(other[0] - middle[0]), Math.abs(other[1] - middle[1]) * 1.3)),
        );
        // The point itself is equally far from all sides, except for rounding.
        if (room > most + 0.1) [most, best] = [room, [dx, dy, middle]];
      }
    }
    const [dx, dy, middle] = best;
    taken.push(middle);
    return svg`<text class="name" x=${dx} y=${dy} text-anchor=${dx < 0 ? 'end' : 'start'} aria-hidden="true">${label}</text>`;
  });
}

function handleMark(handle: Handle, label: unknown, events: PlaneEvents): SVGTemplateResult {
  const { name, spoken, place, at, shape, className, inviting } = handle;
  const [x, y] = toPicture(at);
  const drag = (event: PointerEvent): void => {
    const group = event.currentTarget as SVGGElement;
    if (group.hasPointerCapture(event.pointerId)) events.move(name, pointed(event, group.ownerSVGElement));
  };
  const grab = (event: PointerEvent): void => {
    (event.currentTarget as SVGGElement).setPointerCapture(event.pointerId);
    events.hold(name);
  };
  // CSS cannot keep the page from scrolling: in SVG, touch-action works only on the outermost element, and a finger
  // beside the points should scroll.
  const stay = (event: TouchEvent): void => event.preventDefault();
  return svg`<g class="handle ${className}" data-name=${name} transform="translate(${x} ${y})" tabindex="0"
    role="slider" aria-label=${spoken} aria-valuenow=${at[0]} aria-valuemin=${-REACH} aria-valuemax=${REACH}
    aria-valuetext=${place} aria-describedby="help"
    @touchstart=${stay} @pointerdown=${grab} @pointermove=${drag} @focus=${() => events.hold(name)}
    @keydown=${(event: KeyboardEvent) => events.key(name, event)}>
    <circle class="target" r="16" />
    ${inviting === true ? svg`<path class="cue hint" d=${ARROWS} />` : nothing}
    ${markOf(shape)}
    ${label}
  </g>`;
}

/** The symbol of a key and of its value. */
export function markOf(shape: Handle['shape'] | 'diamond'): SVGTemplateResult {
  if (shape === 'square') return svg`<rect class="mark" x="-5.5" y="-5.5" width="11" height="11" />`;
  if (shape === 'triangle') return svg`<path class="mark" d="M0,-7L6.5,5H-6.5Z" />`;
  if (shape === 'diamond') return svg`<path class="mark" d="M0,-9L9,0L0,9L-9,0Z" />`;
  return svg`<circle class="mark" r=${shape === 'query' ? 7 : 6} />`;
}

/** The place to which the mixture should be brought. */
export function ringMark(at: Point): SVGTemplateResult {
  const [x, y] = toPicture(at);
  return svg`<circle class="ring" cx=${x} cy=${y} r=${UNIT * RADIUS} />`;
}

/** A vector from the origin that ends just before its point. */
export function arrow(at: Point, className: string): SVGTemplateResult | typeof nothing {
  const [x, y] = toPicture(at);
  const length = Math.hypot(x, y);
  const keep = Math.max(0, 1 - 8 / length);
  return length < 10 ? nothing : svg`<line class="arrow ${className}" x2=${x * keep} y2=${y * keep} />`;
}

/** The point of the plane under the pointer. */
export function pointed(event: MouseEvent, picture: SVGSVGElement | null): Point {
  const box = picture?.getBoundingClientRect() ?? new DOMRect();
  const along = (at: number, start: number, size: number): number => (((at - start) / size) * 2 - 1) * (HALF / UNIT);
  return [along(event.clientX, box.left, box.width), -along(event.clientY, box.top, box.height)];
}
