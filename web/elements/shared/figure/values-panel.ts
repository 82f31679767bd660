import { html, nothing, render, type LitElement, type ReactiveController, type TemplateResult } from 'lit';
import type { Localised } from '../localised.js';
import { dataTable } from './data-table.js';
import type { FigureData } from './figure-data.js';

/** Tables of more cells than this are updated a moment after the picture, which must not wait for them. */
const SMALL_TABLE = 1000;
const UPDATE_DELAY = 150;

/** The table of a figure's values. It is drawn after the picture, and only while it is open. */
export class ValuesPanel implements ReactiveController {
  open = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly figure: LitElement,
    private readonly words: Localised,
    private readonly data: () => FigureData | undefined,
    /** The table's caption. */
    private readonly caption: () => string,
  ) {
    figure.addController(this);
  }

  hostDisconnected(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  hostUpdated(): void {
    const place = this.figure.renderRoot.querySelector<HTMLElement>('.figure-values');
    if (place === null) return;
    if (Number(place.dataset.cells ?? 0) <= SMALL_TABLE) {
      this.#fill(place);
      return;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#fill(place);
    }, UPDATE_DELAY);
  }

  readonly toggle = (): void => {
    this.open = !this.open;
    this.figure.requestUpdate();
  };

  /** The place of the table. */
  place(): TemplateResult | typeof nothing {
    return this.open ? html`<div class="figure-values"></div>` : nothing;
  }

  #fill(place: HTMLElement): void {
    const data = this.data();
    if (data === undefined || !place.isConnected) return;
    place.dataset.cells = String(data.rows.length * data.columns.length);
    render(dataTable(data, this.words, this.caption()), place);
  }
}
