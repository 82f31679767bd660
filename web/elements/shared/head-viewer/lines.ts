import { html, svg, type SVGTemplateResult, type TemplateResult } from 'lit';
import { hint } from '../controls/controls.js';
import { anew } from '../anew.js';
import { rowText, type RowMap } from '../heat-map/row-text.js';
import { isPlay, playRow, sound } from '../heat-map/sound.js';
import type { Localised } from '../localised.js';
import { shortened } from '../tokens.js';

/** The height of a token, in CSS pixels. */
const ROW = 18;
/** Weaker lines are left out, and so are all but the strongest, since too many could not be distinguished. */
const LEAST = 0.03;
const MOST = 1500;
/** The most letters of a token. */
const ROOM = 14;
/** The most tokens that are drawn one by one. */
export const MOST_TOKENS = 2048;

/** Two columns of tokens, and a line from each query to each key, whose opacity is its weight. */
export interface Lines {
  readonly map: ArrayLike<number>;
  readonly tokens: readonly string[];
  readonly keyTokens: readonly string[];
  readonly mask?: readonly boolean[];
  /** The query whose lines are shown alone. */
  readonly query: number | undefined;
  readonly label: string;
  /** What screen readers say. */
  readonly spoken: string;
}

/**
 * A head as lines between tokens, for all queries or for the one that the reader points at, which is passed to `ask` with
 * what is to be said: that query's keys, for those who move by keys.
 */
export function largeLines(
  words: Localised,
  shown: Lines,
  ask: (query: number | undefined, spoken: string) => void,
): TemplateResult {
  const { map: values, tokens, keyTokens, mask, query, spoken } = shown;
  const row: RowMap = {
    values,
    rows: tokens.length,
    columns: keyTokens.length,
    rowLabels: tokens,
    columnLabels: keyTokens,
    mask,
    rowName: words.text('query'),
    columnName: words.text('key'),
    low: 0,
    origin: 1,
    digits: 3,
  };
  const say = (to: number): void => ask(to, anew(rowText(row, to, words), spoken));
  const onKey = (event: KeyboardEvent): void => {
    const last = Math.min(MOST_TOKENS, tokens.length) - 1;
    const from = query ?? -1;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (isPlay(event)) void playRow(row, Math.max(0, from));
    const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = Math.min(last, Math.max(0, to));
    say(next);
    if (sound.on && next !== query) void playRow(row, next);
  };
  const onFocus = ({ target }: FocusEvent): void => {
    if (query !== undefined && (target as Element).matches(':focus-visible')) say(query);
  };
  const onPoint = ({ clientY, currentTarget }: PointerEvent): void => {
    const top = (currentTarget as Element).querySelector('svg')?.getBoundingClientRect().top ?? 0;
    const row = Math.floor((clientY - top) / ROW);
    ask(row >= 0 && row < tokens.length ? row : undefined, '');
  };
  const onLeave = ({ pointerType }: PointerEvent): void => {
    // A tapped query stays when the finger is lifted.
    if (pointerType !== 'touch') ask(undefined, '');
  };
  return html`<div
      class="lines"
      role="application"
      tabindex="0"
      aria-label=${shown.label}
      @keydown=${onKey}
      @focus=${onFocus}
      @blur=${() => ask(query, '')}
      @pointermove=${onPoint}
      @pointerdown=${onPoint}
      @pointerleave=${onLeave}
    >
      <svg height=${Math.min(MOST_TOKENS, Math.max(tokens.length, keyTokens.length)) * ROW} aria-hidden="true">
        ${drawn(shown)}
      </svg>
    </div>
    <span class="spoken" role="status">${spoken}</span>
    <p class="readout">
      ${query === undefined ? hint(words.text('viewer.linesHint')) : strongest(words, shown, query)}
    </p>`;
}

function drawn({ map, tokens, keyTokens, query }: Lines): SVGTemplateResult {
  const columns = keyTokens.length;
  const weight = (row: number, column: number): number => map[row * columns + column] ?? 0;
  const middle = (index: number): number => (index + 0.5) * ROW;
  const [from, to] = query === undefined ? [0, Math.min(MOST_TOKENS, tokens.length)] : [query, query + 1];
  const strong: { readonly value: number; readonly row: number; readonly column: number }[] = [];
  for (let row = from; row < to; ++row) {
    for (let column = 0; column < Math.min(MOST_TOKENS, columns); ++column) {
      const value = weight(row, column);
      if (value >= LEAST) strong.push({ value, row, column });
    }
  }
  strong.sort((a, b) => b.value - a.value).splice(MOST);
  return svg`
    ${strong.map(
      ({ value, row, column }) =>
        svg`<line class="line" x1="38%" x2="62%" y1=${middle(row)} y2=${middle(column)} stroke-opacity=${Math.sqrt(Math.min(1, value)).toFixed(3)} />`,
    )}
    ${tokens
      .slice(0, MOST_TOKENS)
      .map(
        (token, row) =>
          svg`<text class=${row === query ? 'asks' : ''} x="37%" y=${middle(row)} dy="0.35em" text-anchor="end">${shortened(token, ROOM)}</text>`,
      )}
    ${keyTokens
      .slice(0, MOST_TOKENS)
      .map(
        (token, column) =>
          svg`<text class=${query !== undefined && weight(query, column) >= LEAST ? 'asked' : ''} x="63%" y=${middle(column)} dy="0.35em">${shortened(token, ROOM)}</text>`,
      )}`;
}

/** The keys that a query attends to most, as text. */
function strongest(words: Localised, { map, tokens, keyTokens }: Lines, query: number): string {
  const row = Array.prototype.slice.call(map, query * keyTokens.length, (query + 1) * keyTokens.length) as number[];
  const top = row
    .map((value, key) => ({ value, key }))
    .sort((a, b) => b.value - a.value)
    .slice(0, 3);
  const keys = top.map(({ value, key }) => `${keyTokens[key]} ${words.number(value, 2)}`).join(', ');
  return words.text('viewer.strongest', { query: tokens[query] ?? '', keys });
}
