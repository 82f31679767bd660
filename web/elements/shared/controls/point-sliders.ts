import { html, type TemplateResult } from 'lit';

/** A point of the plane that the reader can drag. */
export interface DraggedPoint {
  /** Its name: `query q`. */
  readonly name: string;
  readonly at: readonly [x: number, y: number];
  /** Both coordinates are between −`reach` and `reach`, in steps of `step`. */
  readonly reach: number;
  readonly step: number;
  readonly number: (value: number) => string;
  readonly move: (to: [x: number, y: number]) => void;
}

/**
 * Two sliders, for x and y, which only screen readers find: on a touch screen they cannot drag a point. They are no tab
 * stops, since the point itself moves by the arrow keys.
 */
export function pointSliders({ name, at, reach, step, number, move }: DraggedPoint): TemplateResult {
  const along = (axis: 0 | 1): TemplateResult => {
    const read = (event: Event): void => {
      const value = (event.target as HTMLInputElement).valueAsNumber;
      move(axis === 0 ? [value, at[1]] : [at[0], value]);
    };
    return html`<input
      class="spoken"
      type="range"
      tabindex="-1"
      min=${-reach}
      max=${reach}
      step=${step}
      aria-label="${name} ${'xy'[axis]}"
      aria-valuetext=${number(at[axis])}
      .value=${String(at[axis])}
      @input=${read}
    />`;
  };
  return html`${along(0)}${along(1)}`;
}
