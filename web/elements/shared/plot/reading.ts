import { css, html, svg, type SVGTemplateResult, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { pointerIn } from '../controls/pointer-in.js';
import type { Limits } from '../settings.js';

/** Places of a picture, of which the pointer or the keys read one at a time. */
export interface Reading extends Limits {
  /** The picture's accessible name. */
  readonly label: string;
  /** The place that is read. */
  readonly at: number | undefined;
  /** What is read at a place, in words. */
  readonly text: (place: number) => string;
  /** The place below the pointer, whose position is in CSS pixels. */
  readonly below: (pointer: { readonly x: number; readonly y: number }) => number | undefined;
  /** Receives undefined when the pointer has left. */
  readonly read: (place: number | undefined) => void;
  /** Whether later places are lower, so that keys that point down lead to them. */
  readonly isDownward?: boolean;
}

/** How far keys lead where later places are lower; on sliders, they lead up. */
const DOWNWARD: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1, PageUp: -10, PageDown: 10 };

/** A picture that is read by pointer, and as an invisible slider over it by keys and screen readers. */
export function readable(picture: SVGTemplateResult, reading: Reading): TemplateResult {
  const { label, min, max, step = 1, at = min, text, below, read, isDownward } = reading;
  const point = (event: PointerEvent): void => read(below(pointerIn(event)));
  // A finger leaves when it is lifted, which is when its reader looks.
  const leave = ({ pointerType, currentTarget }: PointerEvent): void => {
    if (pointerType === 'mouse' && !(currentTarget as Element).matches(':has(:focus-visible)')) read(undefined);
  };
  const focus = ({ currentTarget }: Event): void =>
    (currentTarget as Element).querySelector('input')!.focus({ preventScroll: true });
  const press = (event: KeyboardEvent): void => {
    const by = isDownward && !event.altKey && !event.metaKey ? DOWNWARD[event.key] : undefined;
    if (by === undefined) return;
    event.preventDefault();
    read(Math.max(min, Math.min(max, at + by)));
  };
  return html`<div class="readable" @pointermove=${point} @pointerdown=${point} @pointerleave=${leave} @click=${focus}>
    ${picture}
    <input
      type="range"
      min=${min}
      max=${max}
      step=${step}
      aria-label=${label}
      aria-valuetext=${text(at)}
      .value=${live(String(at))}
      @input=${(event: Event) => read((event.target as HTMLInputElement).valueAsNumber)}
      @keydown=${press}
      @focus=${() => read(at)}
    />
  </div>`;
}

/** The vertical line through the values that are read. */
export function readingLine(x: number, top: number, bottom: number, where: string): SVGTemplateResult {
  return svg`<line class="reading" x1=${x} x2=${x} y1=${top} y2=${bottom} />
    <text x=${x} y=${top - 5} text-anchor="middle">${where}</text>`;
}

export const readingStyles = css`
  .readable {
    position: relative;
  }
  .readable > input {
    position: absolute;
    inset: 0;
    width: 100%;
    height: 100%;
    margin: 0;
    opacity: 0;
    pointer-events: none;
  }
  .readable:has(:focus-visible) {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }
  .reading {
    stroke: var(--_track);
  }
`;
