import { html, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { headName } from '../heads/head-name.js';
import { numbersIn, type Span } from '../heads/part.js';
import { choice } from '../controls/controls.js';
import type { PatchWords } from './words.js';

/** The small maps: of the heads of a layer, or of the rollout up to each layer. */
export interface SmallMaps {
  readonly view: View;
  readonly layer: number;
  /** The number of the large one, from 1, of all, and of those that are drawn. */
  readonly chosen: number;
  readonly all: number;
  readonly drawn: Span;
  /** The silent heads, each `layer.head`. */
  readonly silent: ReadonlySet<string>;
  /** The entropy of the weights in a map, as far as it is known. */
  readonly bitsOf: (number: number) => number | undefined;
}

export type View = 'heads' | 'rollout';

/** How many maps there are in a row, so that all fill a square. */
export function acrossOf(count: number): number {
  return Math.ceil(Math.sqrt(count));
}

/** The number that a key leads to. */
export function numberBy(key: string, chosen: number, all: number, across: number): number | undefined {
  const to = {
    ArrowLeft: chosen - 1,
    ArrowRight: chosen + 1,
    ArrowUp: chosen - across,
    ArrowDown: chosen + across,
    Home: 1,
    End: all,
  }[key];
  return to === undefined || to < 1 || to > all ? undefined : to;
}

/** Radio buttons with a canvas each. `choose` resolves when the choice is drawn. */
export function smallMaps(
  words: PatchWords,
  { view, layer, chosen, all, drawn, silent, bitsOf }: SmallMaps,
  choose: (number: number) => Promise<unknown>,
  show: (view: View) => void,
): TemplateResult {
  const numbers = numbersIn(drawn);
  const name = (number: number): string =>
    view === 'heads'
      ? words.text('viewer.head', { layer, head: number })
      : words.text('patches.rolledOut', { layer: number });
  const map = (number: number): TemplateResult => {
    const isSilent = view === 'heads' && silent.has(`${layer}.${number}`);
    return html`<button
      type="button"
      class=${isSilent ? 'map silent' : 'map'}
      role="radio"
      data-picture
      data-number=${number}
      aria-checked=${number === chosen}
      aria-label=${headName(words, name(number), isSilent, 'map.entropy', bitsOf(number))}
      title=${name(number)}
      tabindex=${number === chosen ? 0 : -1}
      @click=${() => void choose(number)}
    >
      <canvas></canvas><span>${number}</span>
    </button>`;
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const to = numberBy(event.key, chosen, all, acrossOf(numbers.length));
    if (to === undefined) return;
    event.preventDefault();
    const maps = event.currentTarget as Element;
    void choose(to).then(() => maps.querySelector<HTMLElement>('[aria-checked="true"]')?.focus());
  };
  const option = (value: View): TemplateResult =>
    choice('view', words.text(`patches.${value}`), view === value, () => show(value));
  return html`<div class="overview">
    <slot></slot>
    <fieldset class="choices">
      <legend>${words.text('patches.show')}</legend>
      <div class="options">${option('heads')} ${option('rollout')}</div>
    </fieldset>
    <div
      class="maps"
      role="radiogroup"
      aria-label=${view === 'heads' ? words.text('patches.headMaps', { layer }) : words.text('patches.layerMaps')}
      @keydown=${onKey}
    >
      ${repeat(numbers, (number) => number, map)}
    </div>
    ${
      view === 'rollout'
        ? html`<p class="remark">
            ${words.text('patches.source')}
            <cite lang="en">Abnar & Zuidema (2020), “Quantifying Attention Flow in Transformers”</cite>
          </p>`
        : html``
    }
    <p class="remark">
      ${words.text('patches.scale')}
      ${numbers.length < all ? words.text('patches.part', { from: words.number(drawn.first), to: words.number(drawn.last), all: words.number(all) }) : ''}
    </p>
  </div>`;
}
