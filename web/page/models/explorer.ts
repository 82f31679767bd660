import { html, LitElement, type TemplateResult } from 'lit';
import { baseStyles, controlStyles, Localised, nextTokensStyles, tableStyles } from '../../elements/kit.js';
import type { UrlState } from './link.js';
import { explorerStyles } from './model-explorer-styles.js';
import type { Share } from './shares.js';
import type { SlowTokenizer } from './tokenizer.js';
import { MODELS, type ModelWords } from './words.js';

/** The debounce of what the reader changes, in milliseconds. */
const DELAY = 250;
/** How many candidates are spoken. */
const MOST_SPOKEN = 3;

/** Moves the focus to the status, from a button that goes away when it is pressed. */
export function leave({ currentTarget }: Event): void {
  const root = (currentTarget as Element).getRootNode() as ShadowRoot;
  root.querySelector<HTMLElement>('[role=status]')?.focus({ preventScroll: true });
}

/**
 * Shows what a checkpoint computes. Results are marked from the moment when newer ones are wanted, and those that come
 * late are dropped.
 *
 * @fires link-change - the reader changed what links contain; `detail` has what is new
 */
export abstract class Explorer<Checkpoint> extends LitElement {
  static override styles = [baseStyles, controlStyles, tableStyles, nextTokensStyles, explorerStyles];
  static override properties: typeof LitElement.properties = {
    checkpoint: { attribute: false },
    link: { attribute: false },
    said: { state: true },
    isStale: { state: true },
  };

  declare checkpoint: Checkpoint;
  declare link: UrlState;
  /** What is missing, or went wrong. */
  declare protected said: string;
  declare protected isStale: boolean;
  protected readonly words: ModelWords = new Localised(this, MODELS);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #runs = 0;

  constructor() {
    super();
    this.said = '';
    this.isStale = false;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.outdate();
  }

  /** What is shown is old, and what is being computed is no longer wanted. Returns whether what begins now still is. */
  protected outdate(): () => boolean {
    clearTimeout(this.#timer);
    this.isStale = true;
    const run = ++this.#runs;
    return () => run === this.#runs;
  }

  /** Computes once the reader has stopped typing. */
  protected soon(compute: () => unknown, delay = DELAY): void {
    this.outdate();
    this.#timer = setTimeout(compute, delay);
  }

  /** Computes properties, and sets them if they are still wanted. A failure is said, and sets those in `without`. */
  protected async renew(
    compute: () => Promise<object>,
    without: object,
    failed: 'failed' | 'pictureFailed' = 'failed',
  ): Promise<void> {
    const isWanted = this.outdate();
    let found: object;
    try {
      found = { said: '', ...(await compute()) };
    } catch (error) {
      found = { ...without, said: this.failure(error, failed) };
    }
    if (isWanted()) Object.assign(this, found, { isStale: false });
  }

  /** What went wrong with a text or a picture, in words. */
  protected failure(error: unknown, failed: 'failed' | 'pictureFailed' = 'failed'): string {
    const { message = String(error), reason, detail = '' } = error as Partial<SlowTokenizer>;
    if (reason === 'slow') return this.words.text('models.slow', { seconds: detail });
    return this.words.text(`models.${failed}`, { message });
  }

  /** What is missing or went wrong, or else what was found, which is only spoken. It takes the focus of buttons that go. */
  protected status(found = ''): TemplateResult {
    const said = this.said || html`<span class="spoken">${found}</span>`;
    return html`<p class="remark" role="status" tabindex="-1">${said}</p>`;
  }

  /** The largest shares in words. */
  protected inWords(label: string, shares: readonly Share[]): string {
    const first = shares.slice(0, MOST_SPOKEN).map(({ name, share }) => `${name} ${this.words.percent(share, 1)}`);
    return first.length === 0 ? '' : `${label}: ${first.join(', ')}`;
  }

  protected readonly change = (detail: Partial<UrlState>): void => {
    this.dispatchEvent(new CustomEvent('link-change', { detail }));
  };
}
