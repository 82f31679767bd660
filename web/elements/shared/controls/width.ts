import type { LitElement, ReactiveController } from 'lit';

/** Reports the width of what it observes, in CSS pixels. A hidden element has no width and reports none. */
function widthObserver(onWidth: (width: number) => void): ResizeObserver {
  return new ResizeObserver(([entry]) => {
    const width = entry?.contentRect.width ?? 0;
    if (width > 0) onWidth(width);
  });
}

/** The width of a figure, or of a part of it. The figure is drawn again when it changes. */
export class Width implements ReactiveController {
  /** In CSS pixels; a guess until the first layout. */
  pixels = 600;
  readonly #observer = widthObserver((width) => {
    if (width === this.pixels) return;
    this.pixels = width;
    this.host.requestUpdate();
  });

  /** `part` is a selector. */
  constructor(
    private readonly host: LitElement,
    private readonly part?: string,
  ) {
    host.addController(this);
  }

  hostConnected(): void {
    if (this.part === undefined) this.#observer.observe(this.host);
  }

  hostUpdated(): void {
    const part = this.part === undefined ? null : this.host.renderRoot.querySelector(this.part);
    if (part !== null) this.#observer.observe(part);
  }

  hostDisconnected(): void {
    this.#observer.disconnect();
  }
}
