import { html, type TemplateResult } from 'lit';
import { ALONG, rove } from '../shared/controls/rove.js';
import type { Picture } from './picture.js';
import { described, isLit, type FollowSymbol } from './symbols.js';

/**
 * Each step's title, formula and explanation. A symbol lights up what it denotes in the picture, and the reverse. The
 * symbols have one tab stop, the one at the place `tab`; `focus` receives the place of the one that has the focus.
 */
export function steps(shown: Picture, tab: number, focus: (place: number) => void): TemplateResult {
  const { words, scene, step } = shown;
  const { layer, head } = scene;
  // Two heads share their keys and values.
  const first = head - ((head - 1) % 2);
  const texts = [
    layer === 1 ? words.text('follow.text1') : words.text('follow.text1later', { layer }),
    words.text('follow.text2', { head, first, second: first + 1 }),
    words.text('follow.text3'),
    words.text('follow.text4'),
    words.text('follow.text5'),
    words.text('follow.text6', { head }),
  ];
  const lines = formulas(shown, tab, focus);
  return html`<div class="steps" @keydown=${(event: KeyboardEvent) => rove(event, '.symbol', ALONG, focus)}>
    ${([1, 2, 3, 4, 5, 6] as const).map(
      (number) =>
        html`<section
          class=${number === step ? 'step current' : 'step'}
          data-step=${number}
          @pointerenter=${() => shown.look(number)}
          @focusin=${() => shown.look(number)}
        >
          <p class="title" tabindex="-1"><span class="badge">${number}</span> ${words.text(`follow.title${number}`)}</p>
          <p class="formula">${lines[number - 1]}</p>
          <p>${texts[number - 1]}</p>
        </section>`,
    )}
  </div>`;
}

/** The formulas of the six steps. Not MathML, whose subscripts stay on the baseline without a mathematical font. */
function formulas(
  { words, scene, pointed, point, tell }: Picture,
  tab: number,
  focus: (place: number) => void,
): TemplateResult[] {
  let count = 0;
  const symbol = (symbol: FollowSymbol, letter: TemplateResult): TemplateResult => {
    const place = count++;
    return html`<button
      type="button"
      data-picture
      class=${isLit(pointed, symbol) ? 'symbol lit' : 'symbol'}
      data-symbol=${symbol}
      tabindex=${place === tab ? 0 : -1}
      aria-label=${described(words, scene, { symbol })}
      @pointerenter=${() => point({ symbol })}
      @pointerleave=${() => point(undefined)}
      @focus=${() => {
        focus(place);
        point({ symbol });
      }}
      @blur=${() => point(undefined)}
      @click=${() => tell({ symbol })}
    >
      ${letter}
    </button>`;
  };
  const [x, q, k, v, z, o, p] = (['x', 'q', 'k', 'v', 'z', 'o', 'p'] as const).map(
    (name) => [name, html`<b>${name}</b>`] as const,
  );
  const of = (name: FollowSymbol, letter: TemplateResult): TemplateResult =>
    html`${symbol(name, letter)}<sub class="of">j</sub>`;
  const [s, a] = [html`<i>s</i>`, html`<i>α</i>`];
  const matrix = (name: string): TemplateResult => html`<b>W</b><sub>${name}</sub>`;
  const [scaled, all] = [html`<b>x̂</b>`, html`(<b>z</b><sub>1</sub>…<b>z</b><sub>8</sub>)`];
  return [
    html`${symbol(...x!)} ∈ ℝ<sup>64</sup>`,
    html`<span>${symbol(...q!)} = <b>R</b>${matrix('q')}${scaled},</span>
      <span>${symbol(...k!)} = <b>R</b>${matrix('k')}${scaled},</span>
      <span>${symbol(...v!)} = ${matrix('v')}${scaled}</span>`,
    html`${of('s', s)} = ${symbol(...q!)} · ${of('k', k![1])} / √8`,
    html`${of('a', a)} = e<sup>${of('s', s)}</sup> / Σ<sub>l</sub> e<sup><i>s</i><sub>l</sub></sup>`,
    html`${symbol(...z!)} = Σ<sub>j</sub> ${of('a', a)} ${of('v', v![1])}`,
    html`<span>${symbol(...o!)} = ${matrix('o')} ${symbol('m', all)},</span>
      <span>${symbol(...p!)} = softmax(<b>E</b> <b>h</b> / <i>T</i>)</span>`,
  ];
}
