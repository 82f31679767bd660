import { html, nothing, type TemplateResult } from 'lit';
import type { TextCheckpoint } from './checkpoint.js';
import { Explorer } from './explorer.js';
import { textArea } from './text-area.js';
import { tokensOf } from './text.js';

/** The most sentences to compare, and the first ones. */
const MOST = 24;
const SENTENCES = 'The dog sleeps in the sun.\nA puppy is taking a nap outside.\nThe train to Paris was late.';

/** `<sentence-explorer>`: how alike an encoder finds sentences, one per line. */
export class SentenceExplorer extends Explorer<TextCheckpoint> {
  static override properties = { similarities: { state: true } };

  /** Of each pair of sentences. */
  declare protected similarities: Float32Array | undefined;

  protected override render(): TemplateResult {
    const { words, similarities } = this;
    if (!words.ready) return html``;
    const count = Math.sqrt(similarities?.length ?? 0);
    const clear = (): void => {
      this.outdate();
      this.similarities = undefined;
    };
    const first = this.checkpoint.tokenizer ? SENTENCES : '';
    return html`${textArea('sentences', words.text('models.sentences'), 4, first, clear)}
      <div class="buttons">
        <button type="button" @click=${this.#compare}>${words.text('models.compare')}</button>
      </div>
      ${this.status(count === 0 ? '' : words.text('models.likenessLabel', { count }))}
      ${
        count === 0
          ? nothing
          : html`<p class="name">${words.text('models.likeness')}</p>
              <heat-map
                class="likeness"
                .values=${similarities}
                .rows=${count}
                .columns=${count}
                low="-1"
                high="1"
                origin="1"
                label=${words.text('models.likenessLabel', { count })}
              ></heat-map>`
      }`;
  }

  readonly #compare = (): void => {
    const { checkpoint } = this;
    const { value } = this.renderRoot.querySelector('textarea')!;
    const compute = async () => ({ similarities: await similaritiesOf(checkpoint, value) });
    void this.renew(compute, { similarities: undefined });
  };
}

/** The cosine similarity of each pair of sentences, one per line. */
async function similaritiesOf(checkpoint: TextCheckpoint, text: string): Promise<Float32Array> {
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, MOST);
  const tokens = await Promise.all(lines.map((line) => tokensOf(checkpoint, line.trim())));
  const rows = tokens.map(({ ids }) => ids).filter((ids) => ids.length > 0);
  const values = new Float32Array(rows.length ** 2);
  if (rows.length === 0) return values;
  const { data, shape } = await checkpoint.model.embed(rows, { normalize: true });
  const width = shape[1] ?? 0;
  for (let i = 0; i < rows.length; ++i)
    for (let j = 0; j < rows.length; ++j)
      for (let k = 0; k < width; ++k) values[i * rows.length + j]! += data[i * width + k]! * data[j * width + k]!;
  return values;
}

customElements.define('sentence-explorer', SentenceExplorer);
