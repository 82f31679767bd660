import { html, type LitElement, type ReactiveController, type TemplateResult } from 'lit';
import { anew } from '../anew.js';

/** How long a figure waits after a change before it speaks, in milliseconds: who holds a key hears only the last. */
const PAUSE = 400;

/**
 * The one voice of a figure, for screen readers. After the reader's last change it says once what came of it.
 */
export class Voice implements ReactiveController {
  #text = '';
  readonly #first = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the figure was not ready when it should have spoken. */
  #isWaiting = false;

  /** `result` is what the figure says, or undefined as long as it computes. */
  constructor(
    private readonly figure: LitElement,
    private readonly result: () => string | undefined,
  ) {
    figure.addController(this);
  }

  hostUpdated(): void {
    if (this.#isWaiting && this.#timer === undefined) this.#speak();
  }

  hostDisconnected(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isWaiting = false;
  }

  /** Whether there is a change of which the figure has not spoken yet. */
  get isPending(): boolean {
    return this.#isWaiting;
  }

  /** Says the result after the pause, and these texts before it. */
  changed(...first: readonly string[]): void {
    for (const text of first) this.#first.add(text);
    this.#isWaiting = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#speak(), PAUSE);
  }

  /** The place of the text. */
  place(): TemplateResult {
    return html`<span class="spoken" role="status">${this.#text}</span>`;
  }

  #speak(): void {
    this.#timer = undefined;
    const result = this.result();
    if (result === undefined) return;
    const said = [...this.#first, result].join(' ');
    this.#text = anew(said, this.#text);
    this.#first.clear();
    this.#isWaiting = false;
    this.figure.requestUpdate();
  }
}
