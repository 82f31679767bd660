import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** The margin around the figure in CSS pixels before magnification, no wider than on a phone. */
const MARGIN = 16;
/** The width of a column of text, or of a narrow screen, is enough for every figure. */
const COLUMN = 640;
/** The largest magnification. */
const LARGEST = 3;

/**
 * Shows a figure in full screen as it is in the page, magnified until it fills the screen's width or height. A figure
 * that is too high takes the whole width. If it is still too high, it scrolls, and its controls stick to the bottom of
 * the screen.
 */
export class FullScreen implements ReactiveController {
  /** The width in the page, in CSS pixels. */
  #width = COLUMN;
  /** A search is aborted if the window has changed its size meanwhile, or the figure is back in the page. */
  #searches = 0;

  constructor(private readonly figure: ReactiveControllerHost & HTMLElement) {
    figure.addController(this);
  }

  /** Whether the browser supports full screen. */
  get possible(): boolean {
    return document.fullscreenEnabled;
  }

  /** Whether the figure is in full screen. */
  get on(): boolean {
    return document.fullscreenElement === this.figure;
  }

  readonly toggle = (): void => {
    if (this.on) {
      void document.exitFullscreen();
      return;
    }
    this.#width = Math.max(COLUMN, this.figure.offsetWidth);
    this.figure.requestFullscreen().catch(() => undefined);
  };

  hostConnected(): void {
    document.addEventListener('fullscreenchange', this.#changed);
  }

  hostDisconnected(): void {
    document.removeEventListener('fullscreenchange', this.#changed);
    removeEventListener('resize', this.#fit);
  }

  readonly #changed = (): void => {
    removeEventListener('resize', this.#fit);
    ++this.#searches;
    if (this.on) {
      addEventListener('resize', this.#fit);
      this.#fit();
    } else {
      this.figure.style.removeProperty('zoom');
      this.figure.style.removeProperty('--_width');
    }
    this.figure.requestUpdate();
  };

  readonly #fit = (): void => void this.#search(++this.#searches);

  async #search(search: number): Promise<void> {
    const room = { width: innerWidth - 2 * MARGIN, height: innerHeight - 2 * MARGIN };
    let width = Math.min(this.#width, room.width);
    let height = await this.#heightAt(width, search);
    // Any narrower, it would be smaller than in the page.
    if (height > room.height) {
      width = room.width;
      height = await this.#heightAt(width, search);
    }
    const fits = Math.min(innerWidth / (width + 2 * MARGIN), innerHeight / (height + 2 * MARGIN));
    this.#place(width, Math.max(1, Math.min(LARGEST, fits)), search);
  }

  /** The height of question, picture and tools at a given width, after redrawing. */
  async #heightAt(width: number, search: number): Promise<number> {
    this.#place(width, 1, search);
    // One frame for the observers of widths, and one for their drawings.
    await frame();
    await this.figure.updateComplete;
    await frame();
    const [stage, tools] = ['.stage', '.tools'].map((part) => this.figure.shadowRoot?.querySelector(part));
    return (stage?.getBoundingClientRect().bottom ?? 0) - (tools?.getBoundingClientRect().top ?? 0);
  }

  #place(width: number, zoom: number, search: number): void {
    if (search !== this.#searches) return;
    const { style } = this.figure;
    style.setProperty('zoom', String(zoom));
    style.setProperty('--_width', `${width}px`);
  }
}

function frame(): Promise<number> {
  return new Promise(requestAnimationFrame);
}
