import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { ModelForwardOptions, Tensor } from 'wasm-attention/models';
import { lensesOf, type LayerLogits, type Lenses } from '../../elements/lens-kit.js';
import type { TextCheckpoint } from './checkpoint.js';
import { Explorer } from './explorer.js';
import { changesOf, type UrlState } from './link.js';
import { piecesOf, type Tokens } from './text.js';

/**
 * `<lens-explorer>`: the logit lens of a model over a text, and beside it that of the model with what the reader has
 * switched off.
 */
export class LensExplorer extends Explorer<TextCheckpoint> {
  static override properties = {
    tokens: { attribute: false },
    lenses: { state: true },
  };

  declare tokens: Tokens;
  declare protected lenses: Lenses | undefined;
  /** The texts of all tokens. */
  #vocabulary: { readonly of: TextCheckpoint; readonly pieces: Promise<string[]> } | undefined;

  protected override willUpdate(changed: PropertyValues<this>): void {
    // Each pass over the text has new tokens, also when something else has changed.
    if (changed.has('tokens')) void this.#compute();
  }

  protected override render(): TemplateResult {
    const follow = ({ detail }: CustomEvent<Pick<UrlState, 'followed'>>): void => this.change(detail);
    return html`${this.status()}
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

  #compute(): Promise<void> {
    const { checkpoint, tokens, link } = this;
    const { ablate, ablateNeurons, ...positions } = changesOf(link);
    const isChanged = ablate.length + ablateNeurons.length > 0;
    if (this.#vocabulary?.of !== checkpoint) {
      const ids = Array.from({ length: checkpoint.model.vocabSize }, (_, id) => id);
      this.#vocabulary = { of: checkpoint, pieces: piecesOf(checkpoint.tokenizer, ids) };
    }
    const { pieces } = this.#vocabulary;
    return this.renew(
      async () => {
        const vocabulary = await pieces;
        const logits = await logitsOf(checkpoint, tokens, positions);
        const ablated = isChanged
          ? await logitsOf(checkpoint, tokens, { ablate, ablateNeurons, ...positions })
          : undefined;
        return { lenses: lensesOf({ logits, ablated, tokens: tokens.names, vocabulary }) };
      },
      { lenses: undefined },
    );
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
