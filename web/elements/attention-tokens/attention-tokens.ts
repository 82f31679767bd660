import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { MultiHeadAttention, WasmAttention } from 'wasm-attention';
import { hint, textField, toggle } from '../shared/controls/controls.js';
import { Width } from '../shared/controls/width.js';
import { entropyStyles } from '../shared/entropy/entropy-bars.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, figureWith } from '../shared/figure/figure-element.js';
import type { CellDetail } from '../shared/heat-map/heat-map.js';
import '../shared/heat-map/ramp-legend.js';
import { flag, whole, words as anyText } from '../shared/settings.js';
import { clipped, folded, LONGEST_TEXT, type Tokens } from '../shared/tokens.js';
import { tokensCode } from './code.js';
import { tokensData } from './data.js';
import { designedLayer, HEADS } from './designed-heads.js';
import { labelStepOf, tokensMaps } from './maps.js';
import { remarksOf } from './remarks.js';
import { sentenceOf, tokensScene, type TokensScene } from './scene.js';
import { tokensStyles } from './styles.js';

const LAST_SEED = 9999;

const settings = {
  /** The sentence; empty (the default) means a sample in the page's language. */
  text: anyText('', LONGEST_TEXT),
  /** The sentence that keys come from with `cross`; empty as above. */
  second: anyText('', LONGEST_TEXT),
  /** Whether keys come from the second sentence. */
  cross: flag(false),
  /** Whether positions are added to the tokens. */
  positions: flag(true),
  /** Whether keys after the query are masked. */
  causal: flag(false),
  /** The head shown large. */
  solo: whole(1, 1, HEADS.length),
  /** Seed of the random heads. */
  seed: whole(1, 1, LAST_SEED),
};

/**
 * `<attention-tokens>`: what six attention heads see in the reader's own sentence. Four heads have weights set by hand,
 * two random ones; all maps side by side, one of them large with the tokens on its axes and the entropy of each row.
 * The keys can come from a second sentence.
 */
export class AttentionTokens extends figureWith(settings) {
  static override styles = [entropyStyles, tokensStyles];
  static override properties = { pointed: { state: true } };

  declare protected pointed: CellDetail | undefined;
  readonly #large = new Width(this, '.large');
  #layer: { readonly seed: number; readonly layer: MultiHeadAttention } | undefined;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#layer?.layer.dispose();
    this.#layer = undefined;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    super.willUpdate(changed);
    // A cell of another sentence says nothing about this one.
    if (changed.has('text') || changed.has('second') || changed.has('cross')) this.pointed = undefined;
  }

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const scene = this.#scene(library);
    const { queries, keys } = this.#sentences();
    // The page's policy forbids style attributes; custom properties set from a script are fine.
    this.style.setProperty('--_rows', String(scene.queries.length));
    this.style.setProperty('--_columns', String(scene.keys.length));
    const labelStep = labelStepOf(scene, this.#large.pixels);
    const { solo, cross, positions } = this;
    const remarked = { scene, cut: queries.cut || keys.cut, labelStep, solo, cross, positions };
    return html`
      ${this.#sentenceControls()}
      <div class="board">
        ${tokensMaps({
          scene,
          words: this.words,
          solo: this.solo,
          pointed: this.pointed,
          labelStep,
          point: (cell) => (this.pointed = cell),
          pick: (solo) => this.change({ solo }),
        })}
      </div>
      <div class="under">
        <p class="readout">${this.#readout(scene)}</p>
        <ramp-legend low="0" high="1"></ramp-legend>
      </div>
      <p class="remark">${this.words.text('tokens.honest')}</p>
      <p class="remark" role="status">${remarksOf(remarked, this.words)}</p>
      ${this.#controls()}
    `;
  }

  #sentence(which: 'text' | 'second'): Tokens {
    const sample = this.words.text(which === 'text' ? 'tokens.sentence' : 'tokens.secondSentence');
    return sentenceOf(this[which], sample, this.words.language);
  }

  #sentences(): { queries: Tokens; keys: Tokens } {
    const queries = this.#sentence('text');
    return { queries, keys: this.cross ? this.#sentence('second') : queries };
  }

  #scene(library: WasmAttention): TokensScene {
    const { positions, causal, words } = this;
    const { queries, keys } = this.#sentences();
    return tokensScene(library, this.#layerOf(library), {
      queries: queries.tokens,
      keys: keys.tokens,
      positions,
      causal,
      language: words.language,
    });
  }

  #layerOf(library: WasmAttention): MultiHeadAttention {
    if (this.#layer?.seed !== this.seed) {
      this.#layer?.layer.dispose();
      this.#layer = { seed: this.seed, layer: designedLayer(library, this.seed) };
    }
    return this.#layer.layer;
  }

  #readout({ queries, keys, heads, mask }: TokensScene): TemplateResult {
    const { words } = this;
    if (this.pointed === undefined)
      return html`<span class="remark">${words.text('tokens.axes')}</span> ${hint(words.text('tokens.hint'))}`;
    const { row, column } = this.pointed;
    const at = row * keys.length + column;
    const pair = { query: queries[row] ?? '', key: keys[column] ?? '', head: this.solo };
    const weight = words.value(heads[this.solo - 1]?.[at] ?? NaN);
    return html`${words.text('tokens.readout', pair)}
      <strong>${weight}</strong> ${mask?.[at] === false ? html`(${words.text('tokens.masked')})` : nothing}`;
  }

  #sentenceControls(): TemplateResult {
    const { words } = this;
    const field = (name: 'text' | 'second', sample: string): TemplateResult =>
      textField({
        name,
        label: words.text(`tokens.${name}`),
        value: this[name],
        placeholder: sample,
        onInput: (value) => this.change({ [name]: clipped(value) }),
      });
    return html`<div class="controls placed above">
      ${field('text', words.text('tokens.sentence'))}
      <div class="switches">
        ${this.choices('cross', words.text('tokens.keys'), [false, true], (cross) =>
          words.text(cross ? 'tokens.cross' : 'tokens.self'),
        )}
      </div>
      ${this.cross ? field('second', words.text('tokens.secondSentence')) : nothing}
    </div>`;
  }

  #controls(): TemplateResult {
    const { words } = this;
    return html`<div class="controls">
      <div class="switches">
        ${toggle(words.text('tokens.positions'), this.positions, (positions) => this.change({ positions }))}
        ${toggle(words.text('tokens.causal'), this.causal, (causal) => this.change({ causal }))}
        <button type="button" @click=${() => this.change({ seed: (this.seed % LAST_SEED) + 1 })}>
          ${words.text('tokens.draw')}
        </button>
      </div>
    </div>`;
  }

  protected override data(library: WasmAttention): FigureData {
    return tokensData(this.words, this.#scene(library));
  }

  protected override code(): FigureCode {
    const { positions, causal, seed, words } = this;
    const plain = ({ tokens }: Tokens): string[] => tokens.map((token) => folded(token, words.language));
    const { queries, keys } = this.#sentences();
    return tokensCode({
      queries: plain(queries),
      keys: this.cross ? plain(keys) : undefined,
      positions,
      causal,
      seed,
    });
  }
}

defineFigure('attention-tokens', AttentionTokens);
