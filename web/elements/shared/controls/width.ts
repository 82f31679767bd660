import type { LitElement, ReactiveController } from 'lit';
import { SizeObserver } from '../observers.js';

/** Reports the observed element's width in CSS pixels, unless it is hidden. */
function widthObserver(onWidth: (width: number) => void): ResizeObserver {
  return new SizeObserver(([entry]) => {
    const width = entry?.contentRect.width ?? 0;
    if (width > 0) onWidth(width);
  });
}

/** The width of a figure, or of a part of it. The figure is redrawn when it changes. */
export class Width implements ReactiveController {
  /** In CSS pixels; a guess until the first layout. */
  pixels = 600;
  readonly #observer = widthObserver((width) => {
    if (width === this.pixels) return;
    this.pixels = width;
    this.host.requestUpdate();
  });

  /**
   * `part` is a selector. With `side`, the width of its drawing in drawing units, its letters have the same size as
   * elsewhere: see styles.ts.
   */
  constructor(
    private readonly host: LitElement,
    private readonly part?: string,
    private readonly side?: number,
  ) {
    host.addController(this);
  }

  hostConnected(): void {
    if (this.part === undefined) this.#observer.observe(this.host);
  }

  hostUpdated(): void {
    if (this.part === undefined) return;
    const parts = this.host.renderRoot.querySelectorAll<HTMLElement | SVGElement>(this.part);
    if (parts[0] !== undefined) this.#observer.observe(parts[0]);
    if (this.side === undefined) return;
    for (const { style } of parts) style.setProperty('--_unit', String(this.side / this.pixels));
  }

  hostDisconnected(): void {
    this.#observer.disconnect();
  }
}
