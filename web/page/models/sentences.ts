import { html, nothing, type TemplateResult } from 'lit';
import type { TextCheckpoint } from './checkpoint.js';
import { tokensOf } from './text.js';
import type { ModelWords } from './words.js';

/** The most sentences to compare, and the first ones. */
const MOST = 24;
const SENTENCES = 'The dog sleeps in the sun.\nA puppy is taking a nap outside.\nThe train to Paris was late.';

/** The field for an encoder's sentences, one per line, and their similarities. */
export function comparison(
  words: ModelWords,
  { tokenizer }: TextCheckpoint,
  values: ArrayLike<number> | undefined,
  clear: () => void,
  compare: () => void,
): TemplateResult {
  const count = Math.sqrt(values?.length ?? 0);
  return html`<div class="field">
      <label for="sentences">${words.text('models.sentences')}</label>
      <textarea
        id="sentences"
        rows="4"
        spellcheck="false"
        .value=${tokenizer ? SENTENCES : ''}
        @input=${clear}
      ></textarea>
    </div>
    <div class="buttons">
      <button type="button" @click=${compare}>${words.text('models.compare')}</button>
    </div>
    ${
      count === 0
        ? nothing
        : html`<p class="name">${words.text('models.likeness')}</p>
            <heat-map
              class="likeness"
              .values=${values}
              .rows=${count}
              .columns=${count}
              low="-1"
              high="1"
              origin="1"
              label=${words.text('models.likenessLabel', { count })}
            ></heat-map>`
    }`;
}

/** The cosine similarity of each pair of sentences, one per line. */
export async function similaritiesOf(checkpoint: TextCheckpoint, text: string): Promise<Float32Array> {
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
