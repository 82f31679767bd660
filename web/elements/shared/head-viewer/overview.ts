import { html, type TemplateResult } from 'lit';
import type { Localised } from '../localised.js';
import type { HeadDetail, Heads } from './heads.js';

/** All heads, which of them is shown large, and which are silenced. */
export interface Overview extends HeadDetail {
  readonly heads: Heads;
  readonly silent: ReadonlySet<string>;
}

/** Radio buttons over a canvas with all heads, one row per layer. Arrow keys, Home and End choose, too. */
export function overview(
  words: Localised,
  { heads: { layers, heads }, layer, head, silent }: Overview,
  choose: (layer: number, head: number) => void,
): TemplateResult {
  const numbers = (count: number): TemplateResult[] =>
    Array.from({ length: count }, (_, i) => html`<span>${i + 1}</span>`);
  const thumbnail = (ofLayer: number, ofHead: number): TemplateResult => {
    const chosen = ofLayer === layer && ofHead === head;
    const isSilent = silent.has(`${ofLayer}.${ofHead}`);
    const name = words.text('viewer.head', { layer: ofLayer, head: ofHead });
    return html`<button
      type="button"
      class=${isSilent ? 'thumbnail silent' : 'thumbnail'}
      role="radio"
      aria-checked=${chosen}
      aria-label=${isSilent ? `${name}, ${words.text('viewer.silent')}` : name}
      title=${name}
      tabindex=${chosen ? 0 : -1}
      @click=${() => choose(ofLayer, ofHead)}
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
    choose(...to);
    const buttons = (event.currentTarget as Element).querySelectorAll('button');
    buttons[(to[0] - 1) * heads + to[1] - 1]?.focus();
  };
  return html`<div class="overview">
    <slot></slot>
    <div class="numbers of-heads" aria-hidden="true">${numbers(heads)}</div>
    <div class="numbers of-layers" aria-hidden="true">${numbers(layers)}</div>
    <div
      class="grid"
      role="radiogroup"
      aria-label=${words.text('viewer.overview', { layers, heads })}
      @keydown=${onKey}
    >
      <canvas class="thumbnails" aria-hidden="true"></canvas>
      ${Array.from({ length: layers * heads }, (_, i) => thumbnail(Math.floor(i / heads) + 1, (i % heads) + 1))}
    </div>
    <p class="hint">${words.text('viewer.hint')}</p>
  </div>`;
}
