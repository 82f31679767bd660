import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { nextTokens, toggle } from '../../elements/kit.js';
import type { PictureCheckpoint } from './checkpoint.js';
import { Explorer } from './explorer.js';
import { changesOf } from './link.js';
import { bytesOf, type ImageBytes } from './picture-bytes.js';
import { runPicture, type PicturePass } from './picture-pass.js';
import { fitsOf, type KnownTexts } from './picture-texts.js';
import { pictureIn, pictureInClipboard, pictureZone } from './picture-zone.js';
import type { Share } from './shares.js';
import { allHeadsOn, onHead, onSilence } from './silent-heads.js';
import { textArea } from './text-area.js';

/**
 * `<picture-explorer>`: the heads of a model over a picture, where they can be silenced, with the classes that it takes the
 * picture for, or how well texts fit it.
 */
export class PictureExplorer extends Explorer<PictureCheckpoint> {
  static override properties = {
    pass: { state: true },
    fits: { state: true },
  };

  declare protected pass: PicturePass | undefined;
  declare protected fits: readonly Share[];
  /** What the pass saw. */
  protected seen: readonly unknown[] = [];
  readonly #known: KnownTexts = new Map();
  #picture: ImageBytes | undefined;
  #takes = 0;

  constructor() {
    super();
    this.fits = [];
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('paste', this.#onPaste);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('paste', this.#onPaste);
    ++this.#takes;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('link');
    const { text, silent, positions } = this.link;
    if (before === undefined || this.#picture === undefined) return;
    if (before.text === text && before.silent === silent && before.positions === positions) return;
    this.soon(() => this.#compute());
  }

  protected override render(): TemplateResult {
    const words = this.words;
    if (!words.ready) return html``;
    const { checkpoint, link } = this;
    const { isPrepared, model, texts, tokenizer } = checkpoint;
    const write = (text: string): void => this.change({ text });
    const remark = (text: string): TemplateResult => html`<p class="remark">${text}</p>`;
    return html`${isPrepared ? nothing : remark(words.text('models.noProcessor', { family: model.family }))}
    ${pictureZone(
      words,
      (picture) => void this.take(picture),
      () => void this.#paste(),
    )}
    ${texts === undefined ? nothing : textArea('texts', words.text('models.texts'), 4, link.text, write)}
    ${texts !== undefined && tokenizer === undefined ? remark(words.text('models.noTokenizer')) : nothing}
    ${toggle(words.text('models.patchPositions'), link.positions, (positions) => this.change({ positions }))}
    ${this.status(this.#found())} ${this.pass === undefined ? nothing : this.#viewer(this.pass)}`;
  }

  /** What the model recognises, and which texts fit. */
  #found(): string {
    const { pass, words, fits } = this;
    const [classes, fit] = [words.text('models.classes'), words.text('models.fit')];
    return [this.inWords(classes, pass?.classes ?? []), this.inWords(fit, fits)].filter(Boolean).join('. ');
  }

  #viewer({ heads, classes }: PicturePass): TemplateResult {
    const words = this.words;
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
        @head-change=${onHead(this.change)}
        @head-silence=${onSilence(silent, this.change)}
      >
        <div class="outcome">
          ${outcome('classes', classes ?? [])} ${outcome('fit', this.fits)}
          ${silent.length === 0 ? nothing : html`<p class="remark">${words.text('models.silentPicture')}</p>`}
        </div>
      </patch-viewer>
      ${allHeadsOn(words, silent, this.change)}`;
  }

  /** Shows a picture; undefined stands for what is none. */
  async take(file: Blob | undefined): Promise<void> {
    const take = ++this.#takes;
    const image = await (file && bytesOf(file))?.catch(() => undefined);
    if (take !== this.#takes) return;
    if (image === undefined) {
      this.said = this.words.text('models.noPicture');
      return;
    }
    this.#picture = image;
    await this.#compute();
  }

  async #paste(): Promise<void> {
    const picture = await pictureInClipboard().catch(() => undefined);
    if (picture === undefined) this.said = this.words.text('models.noClipboard');
    else await this.take(picture);
  }

  readonly #onPaste = (event: ClipboardEvent): void => {
    const picture = pictureIn(event.clipboardData?.files);
    // A text goes where the reader types.
    if (picture === undefined) return;
    event.preventDefault();
    void this.take(picture);
  };

  /** A pass over the picture, unless the last one was the same, and what texts have to do with it. */
  #compute(): Promise<void> {
    const { checkpoint, link } = this;
    const picture = this.#picture!;
    const seen = [picture, link.silent, link.positions];
    const compute = async (): Promise<object> => {
      const isSame = seen.every((each, i) => each === this.seen[i]);
      const pass = isSame && this.pass ? this.pass : await runPicture(checkpoint, picture, changesOf(link));
      const embeds = checkpoint.texts && pass.embeds;
      return { pass, seen, fits: embeds ? await fitsOf(checkpoint, embeds, link.text, this.#known) : [] };
    };
    return this.renew(compute, { pass: undefined, fits: [] }, 'pictureFailed');
  }
}

customElements.define('picture-explorer', PictureExplorer);

declare global {
  interface HTMLElementTagNameMap {
    'picture-explorer': PictureExplorer;
  }
}
