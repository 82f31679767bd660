import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { TextCheckpoint } from './checkpoint.js';
import { leave } from './explorer.js';
import { namesIn, partOf, type UrlState } from './link.js';
import type { ChangeLink } from './silent-heads.js';
import type { Tokens } from './text.js';
import type { Effect } from './text-pass.js';
import type { ModelWords } from './words.js';

/** How many neurons are switched off at once. */
const MOST_ACTIVE = 10;

/** A field for neurons to switch off, a button for the most active ones, and what that changes. */
export function neuronsView(
  words: ModelWords,
  { model, numNeurons }: TextCheckpoint,
  { neurons }: UrlState,
  effects: readonly Effect[],
  change: ChangeLink,
  addActive: (count: number) => void,
): TemplateResult {
  const read = ({ target }: Event): void => {
    const fits = (name: string): boolean => partOf(name)[0] < model.numLayers && partOf(name)[1] < numNeurons;
    change({ neurons: namesIn((target as HTMLTextAreaElement).value).filter(fits) });
  };
  const allOn = (event: Event): void => {
    leave(event);
    change({ neurons: [] });
  };
  const number = (value: number): string => words.number(value);
  const facts = { layers: number(model.numLayers), neurons: number(numNeurons) };
  return html`<div class="field">
      <label for="neurons">${words.text('models.neuronsOff')}</label>
      <textarea id="neurons" rows="2" spellcheck="false" .value=${live(neurons.join(' '))} @change=${read}></textarea>
      <p class="remark">${words.text('models.neuronsHint', facts)}</p>
    </div>
    <div class="buttons">
      <button type="button" @click=${() => addActive(MOST_ACTIVE)}>
        ${words.text('models.active', { count: MOST_ACTIVE })}
      </button>
      ${
        neurons.length === 0
          ? nothing
          : html`<button type="button" @click=${allOn}>
              ${words.text('models.neuronsOn', { count: neurons.length })}
            </button>`
      }
    </div>
    ${effects.length === 0 ? nothing : effectsTable(words, effects)}`;
}

/** The most likely next tokens, before and after. */
function effectsTable(words: ModelWords, effects: readonly Effect[]): TemplateResult {
  const sign = (logit: number): string => `${logit > 0 ? '+' : ''}${words.number(logit, 2)}`;
  const columns = ['token', 'models.before', 'models.after', 'models.logit'] as const;
  return html`<p class="name">${words.text('models.effects')}</p>
    <div class="scroller" role="region" tabindex="0" aria-label=${words.text('models.effects')}>
      <table>
        <thead>
          <tr>
            ${columns.map((name) => html`<th scope="col">${words.text(name)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${effects.map(
            ({ name, before, after, logit }) =>
              html`<tr>
                <th scope="row">${name}</th>
                <td>${words.percent(before, 1)}</td>
                <td>${words.percent(after, 1)}</td>
                <td>${sign(logit)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

/** The most active neurons at the last token of a text that are on, each `layer.neuron`. */
export async function activeNeurons(
  { model }: TextCheckpoint,
  { ids }: Tokens,
  changes: object,
  count: number,
): Promise<string[]> {
  const layers = Object.values(await model.activations([ids], /mlp\.hook_post$/, changes));
  return layers
    .flatMap(({ data, shape }, layer) =>
      Array.from(data.subarray(-shape.at(-1)!), (value, i) => ({
        name: `${layer + 1}.${i + 1}`,
        size: Math.abs(value),
      })),
    )
    .sort((a, b) => b.size - a.size)
    .slice(0, count)
    .filter(({ size }) => size > 0)
    .map(({ name }) => name);
}
