import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Localised } from '../localised.js';
import type { HeadDetail } from '../../package-types.js';
import { headName } from '../heads/head-name.js';
import type { Heads } from '../heads/heads.js';
import { numbersIn, type Part, type Span } from '../heads/part.js';

/** All heads, which of them is shown large, and which are silenced. */
export interface Overview extends HeadDetail {
  readonly heads: Heads;
  readonly part: Part;
  readonly silent: ReadonlySet<string>;
  /** A head's mean entropy, as far as it is known. */
  readonly bitsOf: (layer: number, head: number) => number | undefined;
}

/**
 * Radio buttons over a canvas with all heads, or a part of them around the chosen one, one row per layer. Arrow keys,
 * Home and End choose, too. `choose` resolves when the choice is drawn.
 */
export function overview(
  words: Localised,
  { heads: { layers, heads }, part, layer, head, silent, bitsOf }: Overview,
  choose: (layer: number, head: number) => Promise<unknown>,
): TemplateResult {
  const numbers = (span: Span): TemplateResult[] => numbersIn(span).map((number) => html`<span>${number}</span>`);
  const shown = numbersIn(part.layers).flatMap((layer) =>
    numbersIn(part.heads).map((head): [number, number] => [layer, head]),
  );
  const thumbnail = (ofLayer: number, ofHead: number): TemplateResult => {
    const chosen = ofLayer === layer && ofHead === head;
    const isSilent = silent.has(`${ofLayer}.${ofHead}`);
    const name = words.text('viewer.head', { layer: ofLayer, head: ofHead });
    return html`<button
      type="button"
      class=${isSilent ? 'thumbnail silent' : 'thumbnail'}
      role="radio"
      aria-checked=${chosen}
      aria-label=${headName(words, name, isSilent, 'viewer.meanEntropy', bitsOf(ofLayer, ofHead))}
      title=${name}
      tabindex=${chosen ? 0 : -1}
      @click=${() => void choose(ofLayer, ofHead)}
    ></button>`;
  };
  const onKey = (event: KeyboardEvent): void => {
    const to = {
      ArrowLeft: [layer, head - 1],
      ArrowRight: [layer, head + 1],
      ArrowUp: [layer - 1, head],
      ArrowDown: [layer + 1, head],
      Home: [layer, 1],
      End: [layer, heads],
    }[event.key] as [number, number] | undefined;
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (to[0] < 1 || to[0] > layers || to[1] < 1 || to[1] > heads) return;
    const grid = event.currentTarget as Element;
    void choose(...to).then(() => grid.querySelector<HTMLElement>('[aria-checked="true"]')?.focus());
  };
  return html`<div class="overview">
    <slot></slot>
    <div class="numbers of-heads" aria-hidden="true">${numbers(part.heads)}</div>
    <div class="numbers of-layers" aria-hidden="true">${numbers(part.layers)}</div>
    <div
      class="grid"
      role="radiogroup"
      aria-label=${words.text('viewer.overview', { layers, heads })}
      @keydown=${onKey}
    >
      <canvas class="thumbnails" aria-hidden="true"></canvas>
      ${repeat(
        shown,
        ([layer, head]) => `${layer}.${head}`,
        ([layer, head]) => thumbnail(layer, head),
      )}
    </div>
    <p class="hint">
      ${words.text('viewer.hint')} ${shown.length < layers * heads ? partText(words, { layers, heads }, part) : nothing}
    </p>
  </div>`;
}

/** Which of all heads are drawn. */
function partText(words: Localised, all: Pick<Heads, 'layers' | 'heads'>, { layers, heads }: Part): string {
  const text = ({ first, last }: Span): string => `${words.number(first)}–${words.number(last)}`;
  return words.text('viewer.part', {
    layers: text(layers),
    heads: text(heads),
    allLayers: words.number(all.layers),
    allHeads: words.number(all.heads),
  });
}
