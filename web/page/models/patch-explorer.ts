import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Tensor } from 'wasm-attention/models';
import { likeliest } from '../../elements/kit.js';
import type { TextCheckpoint } from './checkpoint.js';
import { Explorer } from './explorer.js';
import { otherFor } from './examples.js';
import { changesOf } from './link.js';
import { textArea } from './text-area.js';
import { nameOf, piecesOf, tokensOf, type Tokens } from './text.js';

/** The most tokens on the map's axis. */
const MOST_LABELS = 24;

/** The share of the way from one token to another, before each layer and for each token: (layers, T). */
interface Patched {
  readonly shares: Float32Array;
  readonly from: string;
  readonly to: string;
  readonly tokens: readonly string[];
}

/** `<patch-explorer>`: patches states of another text into the model's pass over a text, by layer and token. */
export class PatchExplorer extends Explorer<TextCheckpoint> {
  static override properties = {
    tokens: { attribute: false },
    patched: { state: true },
    running: { state: true },
  };

  declare tokens: Tokens;
  declare protected patched: Patched | undefined;
  declare protected running: boolean;

  constructor() {
    super();
    this.running = false;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    // Each pass over the text has new tokens, also when something else has changed.
    const isSame = changed.get('link')?.other === this.link.other;
    if (!changed.has('tokens') && (isSame || !changed.has('link'))) return;
    this.outdate();
    this.patched = undefined;
    this.said = '';
  }

  protected override firstUpdated(): void {
    const other = otherFor(this.link.text);
    if (this.link.other === '' && other !== '') this.change({ other });
  }

  protected override render(): TemplateResult {
    const { patched, words } = this;
    if (!words.ready) return html``;
    return html`${textArea('other', words.text('models.other'), 2, this.link.other, (other) => this.change({ other }))}
      <div class="buttons">
        <button
          type="button"
          ?disabled=${this.link.other.trim() === ''}
          @click=${() => (this.running ? this.outdate() : void this.#run())}
        >
          ${words.text(this.running ? 'models.stop' : 'models.patch')}
        </button>
      </div>
      ${this.status(patched === undefined || this.running ? '' : words.text('models.patchMap', { from: patched.from, to: patched.to }))}
      ${patched === undefined ? nothing : this.#map(patched)}`;
  }

  #map({ shares, from, to, tokens }: Patched): TemplateResult {
    const words = this.words;
    return html`<p class="name">${words.text('models.patchMap', { from, to })}</p>
      <heat-map
        class="patched"
        .values=${shares}
        .rows=${shares.length / tokens.length}
        .columns=${tokens.length}
        .columnLabels=${tokens}
        .labelStep=${Math.ceil(tokens.length / MOST_LABELS)}
        low="-1"
        high="1"
        origin="1"
        digits="2"
        label=${words.text('models.patchMap', { from, to })}
        row-name=${words.text('models.layer')}
        column-name=${words.text('token')}
      ></heat-map>
      <p class="remark">${words.text('models.patchHint', { from, to })}</p>`;
  }

  protected override outdate(): () => boolean {
    this.running = false;
    return super.outdate();
  }

  async #run(): Promise<void> {
    const { checkpoint, link, tokens } = this;
    const isWanted = this.outdate();
    this.running = true;
    this.said = '';
    try {
      const other = await tokensOf(checkpoint, link.other);
      for await (const patched of patches(checkpoint, tokens, other, changesOf(link))) {
        if (!isWanted()) return;
        if (typeof patched === 'string')
          this.said = this.words.text(`models.${patched}`, { count: tokens.ids.length, others: other.ids.length });
        else this.patched = patched;
      }
    } catch (error) {
      if (isWanted()) this.said = this.failure(error);
    }
    if (isWanted()) this.running = false;
  }
}

/** Patches cell by cell; yields what is known so far, or why nothing can be patched. */
async function* patches(
  { model, tokenizer }: TextCheckpoint,
  first: Tokens,
  other: Tokens,
  changes: object,
): AsyncGenerator<Patched | 'sameLength' | 'sameNext', void> {
  const count = first.ids.length;
  if (other.ids.length !== count) {
    yield 'sameLength';
    return;
  }
  const logitsOf = async (ids: readonly number[], options: object = {}): Promise<Float32Array> =>
    (await model.forward([ids], { lastOnly: true, ...changes, ...options })).logits!.data;
  const [low, high] = [await logitsOf(first.ids), await logitsOf(other.ids)];
  const [a, b] = [low, high].map((logits) => likeliest(logits, 1)[0]!.at) as [number, number];
  if (a === b) {
    yield 'sameNext';
    return;
  }
  const preference = (logits: Float32Array): number => logits[b]! - logits[a]!;
  const streamsOf = ({ ids }: Tokens): Promise<Record<string, Tensor>> =>
    model.activations([ids], /hook_resid_pre$/, changes);
  const [own, theirs] = [await streamsOf(first), await streamsOf(other)];
  const [from = '', to = ''] = (await piecesOf(tokenizer, [a, b])).map(nameOf);
  const shares = new Float32Array(model.numLayers * count).fill(NaN);
  for (const [layer, [name, { data, shape }]] of Object.entries(own).entries()) {
    const width = shape.at(-1)!;
    for (let token = 0; token < count; ++token) {
      const patched = data.slice();
      const [start, end] = [token * width, (token + 1) * width];
      patched.set(theirs[name]!.data.subarray(start, end), start);
      const logits = await logitsOf(first.ids, { hooks: { [name]: { data: patched, shape } } });
      shares[layer * count + token] = (preference(logits) - preference(low)) / (preference(high) - preference(low));
      yield { shares: shares.slice(), from, to, tokens: first.names };
    }
  }
}

customElements.define('patch-explorer', PatchExplorer);

declare global {
  interface HTMLElementTagNameMap {
    'patch-explorer': PatchExplorer;
  }
}
