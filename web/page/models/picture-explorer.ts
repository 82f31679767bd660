import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { baseStyles, controlStyles, nextTokens, nextTokensStyles, toggle } from '../../elements/kit.js';
import type { PictureCheckpoint } from './checkpoint.js';
import { failureOf } from './failure.js';
import { changesOf, type UrlState } from './link.js';
import { explorerStyles } from './model-explorer-styles.js';
import { bytesOf } from './picture-bytes.js';
import { prepared, runPicture, type PicturePass, type Prepared } from './picture-pass.js';
import { fitsOf, type KnownTexts } from './picture-texts.js';
import { pictureIn, pictureInClipboard, pictureZone } from './picture-zone.js';
import type { Share } from './shares.js';
import { allHeadsOn, onHead, onSilence } from './silent-heads.js';
import { modelWords } from './words.js';

/** The debounce of what the reader changes, in milliseconds. */
const DELAY = 250;

/**
 * `<picture-explorer>`: the heads of a model over a picture, where they can be silenced, with the classes that it takes the
 * picture for, or how well texts fit it.
 *
 * @fires link-change - the reader changed what links contain; `detail` has what is new
 */
export class PictureExplorer extends LitElement {
  static override styles = [baseStyles, controlStyles, nextTokensStyles, explorerStyles];
  static override properties = {
    checkpoint: { attribute: false },
    link: { attribute: false },
    said: { state: true },
    isStale: { state: true },
    pass: { state: true },
    fits: { state: true },
  };

  declare checkpoint: PictureCheckpoint;
  declare link: UrlState;
  declare protected said: string;
  /** Whether a newer pass than what is shown is on its way. */
  declare protected isStale: boolean;
  declare protected pass: PicturePass | undefined;
  declare protected fits: readonly Share[];
  readonly #words = modelWords(this);
  readonly #known: KnownTexts = new Map();
  /** The picture, and what the last pass saw. */
  #given: Prepared | undefined;
  #seen: readonly unknown[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #runs = 0;
  #takes = 0;

  constructor() {
    super();
    this.said = '';
    this.isStale = false;
    this.fits = [];
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('paste', this.#onPaste);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('paste', this.#onPaste);
    clearTimeout(this.#timer);
    ++this.#runs;
    ++this.#takes;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('link');
    const { text, silent, positions } = this.link;
    if (before === undefined) return;
    if (before.text === text && before.silent === silent && before.positions === positions) return;
    clearTimeout(this.#timer);
    ++this.#runs;
    this.isStale = true;
    this.#timer = setTimeout(() => void this.#compute(), DELAY);
  }

  protected override render(): TemplateResult {
    const words = this.#words;
    if (!words.ready) return html``;
    const { checkpoint, link } = this;
    const { isPrepared, model, texts, tokenizer } = checkpoint;
    const remark = (text: string): TemplateResult => html`<p class="remark">${text}</p>`;
    return html`${isPrepared ? nothing : remark(words.text('models.noProcessor', { family: model.family }))}
      ${pictureZone(
        words,
        (picture) => void this.take(picture),
        () => void this.#paste(),
      )}
      ${texts === undefined ? nothing : this.#texts()}
      ${texts !== undefined && tokenizer === undefined ? remark(words.text('models.noTokenizer')) : nothing}
      ${toggle(words.text('models.patchPositions'), link.positions, (positions) => this.#change({ positions }))}
      <p class="remark" role="status">${this.said}</p>
      ${this.pass === undefined ? nothing : this.#viewer(this.pass)}`;
  }

  #texts(): TemplateResult {
    const words = this.#words;
    return html`<div class="field">
      <label for="texts">${words.text('models.texts')}</label>
      <textarea
        id="texts"
        rows="4"
        spellcheck="false"
        .value=${this.link.text}
        @input=${({ target }: Event) => this.#change({ text: (target as HTMLTextAreaElement).value })}
      ></textarea>
    </div>`;
  }

  #viewer({ heads, classes }: PicturePass): TemplateResult {
    const words = this.#words;
    const { silent, layer, head } = this.link;
    const outcome = (name: 'classes' | 'fit', shares: readonly Share[]): TemplateResult =>
      shares.length === 0
        ? html``
        : html`<p class="name">${words.text(`models.${name}`)}</p>
            ${nextTokens(words.text(`models.${name}`), shares, words)}`;
    return html`<patch-viewer
        class=${this.isStale ? 'stale' : ''}
        aria-busy=${this.isStale}
        silenceable
        .heads=${heads}
        .silent=${new Set(silent)}
        .layer=${layer}
        .head=${head}
        @head-change=${onHead(this.#change)}
        @head-silence=${onSilence(silent, this.#change)}
      >
        <div class="outcome">
          ${outcome('classes', classes ?? [])} ${outcome('fit', this.fits)}
          ${silent.length === 0 ? nothing : html`<p class="remark">${words.text('models.silentPicture')}</p>`}
        </div>
      </patch-viewer>
      ${allHeadsOn(words, silent, this.#change)}`;
  }

  /** Shows a picture; undefined stands for what is none. */
  async take(file: Blob | undefined): Promise<void> {
    const take = ++this.#takes;
    const image = await (file && bytesOf(file))?.catch(() => undefined);
    if (take !== this.#takes) return;
    if (image === undefined) {
      this.said = this.#words.text('models.noPicture');
      return;
    }
    try {
      this.#given = prepared(image, this.checkpoint);
      await this.#compute();
    } catch (error) {
      this.said = failureOf(this.#words, error, 'pictureFailed');
    }
  }

  async #paste(): Promise<void> {
    const picture = await pictureInClipboard().catch(() => undefined);
    if (picture === undefined) this.said = this.#words.text('models.noClipboard');
    else await this.take(picture);
  }

  readonly #onPaste = (event: ClipboardEvent): void => {
    const picture = pictureIn(event.clipboardData?.files);
    // A text goes where the reader types.
    if (picture === undefined) return;
    event.preventDefault();
    void this.take(picture);
  };

  readonly #change = (detail: Partial<UrlState>): void => {
    this.dispatchEvent(new CustomEvent('link-change', { detail }));
  };

  /** A pass over the picture, unless the last one was the same, and what texts have to do with it. */
  async #compute(): Promise<void> {
    const { checkpoint, link } = this;
    const given = this.#given;
    if (given === undefined) return;
    const run = ++this.#runs;
    this.isStale = true;
    const changes = changesOf(link);
    const seen = [given, link.silent, link.positions];
    try {
      if (seen.some((each, i) => each !== this.#seen[i])) {
        const pass = await runPicture(checkpoint, given, changes);
        if (run !== this.#runs) return;
        this.pass = pass;
        this.#seen = seen;
      }
      const embeds = checkpoint.texts && this.pass?.embeds;
      const fits = embeds ? await fitsOf(checkpoint, embeds, link.text, this.#known) : [];
      if (run !== this.#runs) return;
      this.fits = fits;
      this.said = '';
    } catch (error) {
      if (run !== this.#runs) return;
      this.#seen = [];
      this.pass = undefined;
      this.said = failureOf(this.#words, error, 'pictureFailed');
    }
    this.isStale = false;
  }
}

customElements.define('picture-explorer', PictureExplorer);

declare global {
  interface HTMLElementTagNameMap {
    'picture-explorer': PictureExplorer;
  }
}
