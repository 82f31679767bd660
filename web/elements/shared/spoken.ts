import { html, type LitElement, type ReactiveController, type TemplateResult } from 'lit';

/** How long a reader pauses before a result is said, in milliseconds: one who holds a key hears only the last. */
const PAUSE = 400;

/** Says results to screen readers. */
export class Spoken implements ReactiveController {
  #text = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly figure: LitElement) {
    figure.addController(this);
  }

  hostDisconnected(): void {
    clearTimeout(this.#timer);
  }

  /** Says what `result` returns after the pause, unless there is another result before. */
  say(result: () => string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#text = result();
      this.figure.requestUpdate();
    }, PAUSE);
  }

  /** The place of the text. */
  place(): TemplateResult {
    return html`<span class="spoken" role="status">${this.#text}</span>`;
  }
}
