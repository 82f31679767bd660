import { html, nothing, type TemplateResult } from 'lit';
import { magnification } from '../shared/controls/pointer-in.js';
import type { Run } from './run.js';

/** Fainter looks are not drawn. */
const LEAST = 0.03;
const SVG = 'http://www.w3.org/2000/svg';

/** A text, token by token. */
export interface Line {
  readonly name: string;
  readonly run: Pick<Run, 'tokens' | 'pieces' | 'canContinue'>;
  /** How many tokens the reader gave. */
  readonly given: number;
  /** A run to compare with: the text is marked from the first token that differs. */
  readonly other?: Pick<Run, 'tokens'> | undefined;
  /** The chosen token, from 0. */
  readonly at: number | undefined;
}

/** A text whose tokens can be chosen, by a tap or by arrow keys. `choose` receives a token's place, from 0. */
export function storyLine({ name, run, given, other, at }: Line, choose: (at: number) => void): TemplateResult {
  const { tokens, pieces, canContinue } = run;
  const first = other === undefined ? Infinity : differs(tokens, other.tokens);
  const kind = (place: number): string => (place >= first ? 'changed' : place < given ? 'given' : '');
  const onClick = ({ target }: Event): void => {
    const place = (target as HTMLElement).dataset.at;
    if (place !== undefined) choose(Number(place));
  };
  const onKey = (event: KeyboardEvent): void => {
    const last = tokens.length - 1;
    const from = at ?? 0;
    const to = { ArrowRight: from + 1, ArrowLeft: from - 1, Home: 1, End: last }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    choose(Math.min(last, Math.max(1, to)));
  };
  const id = other === undefined ? 'plain' : 'changed';
  return html`<div class="line">
    <p class="name">${name}</p>
    <p
      class="story"
      role="application"
      tabindex="0"
      aria-label=${name}
      aria-describedby=${id}
      @click=${onClick}
      @keydown=${onKey}
    >
      <svg class="arcs" aria-hidden="true"></svg
      ><span id=${id} lang="en"
        >${pieces.map((piece, place) => {
          const word = piece.trimStart();
          if (word === '') return piece;
          const classes = `${kind(place)}${place === at ? ' chosen' : ''}`;
          return html`${piece.slice(0, piece.length - word.length)}<span class=${classes} data-at=${place}
              >${word}</span
            >`;
        })}${canContinue ? nothing : ' …'}</span
      >
    </p>
  </div>`;
}

/** The place of the first token that differs, or the number of tokens. */
function differs(tokens: readonly number[], others: readonly number[]): number {
  const at = tokens.findIndex((token, i) => others[i] !== undefined && token !== others[i]);
  return at < 0 ? tokens.length : at;
}

/** The most words and letters of a text's end. */
const LAST_WORDS = 8;
const LAST_LETTERS = 60;

/** The last words of a text. Of what comes more than twice in a row, only the first two are left. */
export function endOf({ pieces }: Pick<Run, 'pieces'>): string {
  const words = pieces.join('').trim().split(/\s+/).slice(-LAST_WORDS).join(' ');
  return words.replace(/(.{2,}?)\1{2,}/g, '$1$1…').slice(-LAST_LETTERS);
}

/** The looks that a text's arcs show. */
const drawn = new WeakMap<Element, Float32Array>();

/**
 * Draws an arc from token `at` of a drawn text to each token that it looks at, as thick as the weight. Unless it has to
 * draw `anew`, it leaves the arcs of the same looks as they are: measuring each frame of a growing text is slow.
 */
export function drawArcs(line: Element, at: number, looks: Float32Array, anew: boolean): void {
  const svg = line.querySelector('.arcs')!;
  const before = drawn.get(svg);
  if (!anew && before?.buffer === looks.buffer && before.byteOffset === looks.byteOffset) return;
  drawn.set(svg, looks);
  const story = svg.parentElement!;
  const zoom = magnification(story);
  const { left, top } = story.getBoundingClientRect();
  const placeOf = (token: number): { x: number; y: number } | undefined => {
    const box = story.querySelector(`[data-at="${token}"]`)?.getClientRects()[0];
    return box && { x: (box.left + box.width / 2 - left) / zoom, y: (box.top - top) / zoom + 2 };
  };
  const from = placeOf(at);
  const arcs = Array.from(looks, (weight, token) => {
    const to = weight < LEAST || token === at ? undefined : placeOf(token);
    if (from === undefined || to === undefined) return undefined;
    const rise = Math.min(from.y, to.y) - Math.min(26, 8 + Math.abs(to.x - from.x) / 12);
    const arc = document.createElementNS(SVG, 'path');
    arc.setAttribute('d', `M${from.x} ${from.y}C${from.x} ${rise} ${to.x} ${rise} ${to.x} ${to.y}`);
    arc.setAttribute('stroke-width', String(1 + 5 * weight));
    arc.setAttribute('stroke-opacity', String(0.3 + 0.7 * weight));
    return arc;
  });
  svg.replaceChildren(...arcs.filter((arc) => arc !== undefined));
}

export function clearArcs(line: Element): void {
  const svg = line.querySelector('.arcs');
  if (svg === null || !drawn.delete(svg)) return;
  svg.replaceChildren();
}

/** The translations of a text's whole sentences, as far as there are any. */
export function glossLine(text: string, glosses: Readonly<Record<string, string>>, language: string): TemplateResult {
  const sentences = text.match(/[^.!?]+[.!?]+"?/g) ?? [];
  return html`<p class="gloss" lang=${language}>
    ${sentences.map((sentence) => glosses[sentence.trim()] ?? '').join(' ')}
  </p>`;
}
