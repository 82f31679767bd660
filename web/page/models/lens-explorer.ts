import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { ModelForwardOptions, Tensor } from 'wasm-attention/models';
import { baseStyles } from '../../elements/kit.js';
import { lensesOf, type LayerLogits, type Lenses } from '../../elements/lens-kit.js';
import type { TextCheckpoint } from './checkpoint.js';
import { failureOf } from './failure.js';
import { changesOf, type UrlState } from './link.js';
import { explorerStyles } from './model-explorer-styles.js';
import { piecesOf, type Tokens } from './text.js';
import { modelWords } from './words.js';

/**
 * `<lens-explorer>`: the logit lens of a model over a text, and beside it that of the model with what the reader has
 * switched off.
 *
 * @fires link-change - the reader follows another token
 */
export class LensExplorer extends LitElement {
  static override styles = [baseStyles, explorerStyles];
  static override properties = {
    checkpoint: { attribute: false },
    tokens: { attribute: false },
    link: { attribute: false },
    isStale: { state: true },
    lenses: { state: true },
    said: { state: true },
  };

  declare checkpoint: TextCheckpoint;
  declare tokens: Tokens;
  declare link: UrlState;
  declare protected isStale: boolean;
  declare protected lenses: Lenses | undefined;
  declare protected said: string;
  readonly #words = modelWords(this);
  /** The texts of all tokens. */
  #vocabulary: { readonly of: TextCheckpoint; readonly pieces: Promise<string[]> } | undefined;
  #runs = 0;

  constructor() {
    super();
    this.said = '';
    this.isStale = false;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    ++this.#runs;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    // Each pass over the text has new tokens, also when something else has changed.
    if (changed.has('tokens')) void this.#compute();
  }

  protected override render(): TemplateResult {
    const follow = ({ detail }: CustomEvent<{ followed: number | null }>): boolean =>
      this.dispatchEvent(new CustomEvent('link-change', { detail }));
    return html`<p class="remark" role="status">${this.said}</p>
      ${
        this.lenses === undefined
          ? nothing
          : html`<lens-viewer
              class=${this.isStale ? 'stale' : ''}
              .lenses=${this.lenses}
              .followed=${this.link.followed}
              @follow-change=${follow}
            ></lens-viewer>`
      }`;
  }

  async #compute(): Promise<void> {
    const { checkpoint, tokens, link } = this;
    const run = ++this.#runs;
    this.isStale = true;
    const { ablate, ablateNeurons, ...positions } = changesOf(link);
    const isChanged = ablate.length + ablateNeurons.length > 0;
    if (this.#vocabulary?.of !== checkpoint) {
      const ids = Array.from({ length: checkpoint.model.vocabSize }, (_, id) => id);
      this.#vocabulary = { of: checkpoint, pieces: piecesOf(checkpoint.tokenizer, ids) };
    }
    try {
      const vocabulary = await this.#vocabulary.pieces;
      const logits = await logitsOf(checkpoint, tokens, positions);
      const ablated = isChanged
        ? await logitsOf(checkpoint, tokens, { ablate, ablateNeurons, ...positions })
        : undefined;
      if (run !== this.#runs) return;
      this.lenses = lensesOf({ logits, ablated, tokens: tokens.names, vocabulary });
      this.said = '';
    } catch (error) {
      if (run !== this.#runs) return;
      this.lenses = undefined;
      this.said = failureOf(this.#words, error);
    }
    this.isStale = false;
  }
}

/** After each layer, what its residual stream predicts; in post-norm models after the layer's last norm. */
async function logitsOf(
  { model }: TextCheckpoint,
  { ids }: Tokens,
  changes: ModelForwardOptions,
): Promise<LayerLogits[]> {
  const all = Object.entries(await model.activations([ids], /resid_post$/, changes as object));
  const normed = all.filter(([name]) => name.includes('normalized'));
  return (normed.length > 0 ? normed : all).map(
    ([, stream]) =>
      (): Promise<Tensor> =>
        model.unembed(stream),
  );
}

customElements.define('lens-explorer', LensExplorer);

declare global {
  interface HTMLElementTagNameMap {
    'lens-explorer': LensExplorer;
  }
}
