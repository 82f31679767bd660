import { css, html, type TemplateResult } from 'lit';
import { AttributeElement } from '../attribute-element.js';
import { define } from '../define.js';
import { Localised } from '../localised.js';
import { baseStyles } from '../styles.js';
import { followScheme } from './follow-scheme.js';
import { paintRamp } from './paint-cells.js';
import { isSigned, rampFor, rampStyles, type Ramp } from './ramps.js';

/** `<ramp-legend low="0" high="1">`: the colour legend of a heat map. */
export class RampLegend extends AttributeElement {
  /** @internal */
  static override styles = [
    baseStyles,
    rampStyles,
    css`
      :host {
        color: var(--_quiet);
        font-size: 0.75rem;
      }
      div {
        display: flex;
        align-items: center;
        gap: 0.4rem;
      }
      canvas {
        width: 7rem;
        min-width: 0;
        height: 0.6rem;
        border-radius: 2px;
      }
    `,
  ];
  static override properties = {
    low: { type: Number },
    high: { type: Number },
    beyond: { type: Boolean },
    ramp: { attribute: false },
  };

  /** The values at the ramp's ends; default −1 and 1. */
  declare low: number;
  declare high: number;
  /** Whether values above `high` have its colour; default false. */
  declare beyond: boolean;
  /**
   * Colours instead of those that heat maps have in the page's scheme.
   *
   * @internal
   */
  declare ramp: Ramp | undefined;
  readonly #words = new Localised(this);

  constructor() {
    super();
    followScheme(this);
    this.low = -1;
    this.high = 1;
    this.beyond = false;
  }

  /** Repaints the ramp. Needed only after the page has changed `color-scheme` itself. */
  readonly repaint = (): void => {
    const canvas = this.renderRoot.querySelector('canvas');
    if (canvas !== null) paintRamp(canvas, this.ramp ?? rampFor(canvas, this.low), this.low, this.high);
  };

  protected override updated(): void {
    this.repaint();
  }

  protected override render(): TemplateResult {
    const text = (value: number): string =>
      value !== 0 && Math.abs(value) < 0.01 ? this.#words.value(value) : this.#words.number(value);
    const low = text(this.low);
    const high = (this.beyond ? '≥\u00a0' : '') + text(this.high);
    const label = !isSigned(this.low)
      ? this.#words.text('map.legend', { low, high })
      : this.high > 0
        ? this.#words.text('map.signedLegend', { low, high })
        : this.#words.text('map.legend', { low: high, high: low });
    return html`<div role="img" aria-label=${label}><span>${low}</span><canvas></canvas><span>${high}</span></div>`;
  }
}

define('ramp-legend', RampLegend);

declare global {
  interface HTMLElementTagNameMap {
    'ramp-legend': RampLegend;
  }
}
