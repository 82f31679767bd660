import { html, nothing, type TemplateResult } from 'lit';
import { choices, hint, longest } from '../controls/controls.js';
import { hex } from '../export/colour.js';
import { moveCursor, type Cell } from '../heat-map/cursor.js';
import { cursorMark } from '../heat-map/marks.js';
import '../heat-map/ramp-legend.js';
import { rampIndex } from '../heat-map/ramps.js';
import { isPlay } from '../heat-map/sound.js';
import { heat } from './heat.js';
import type { PatchHeads } from './patch-heads.js';
import { tokenName, type PatchWords } from './words.js';

/** How many keys the text names. */
const NAMED = 3;

/** What a token attends to. */
export interface LargeMap {
  readonly heads: PatchHeads;
  /** The token's weight on each token, and the largest on a patch; undefined while they are computed. */
  readonly row: ArrayLike<number> | undefined;
  readonly high: number;
  /** The token: the one that the reader points at, or else the chosen one. */
  readonly token: number;
  /** The token that the reader has chosen, and the patch that was chosen last. */
  readonly query: number;
  readonly patch: number;
  /** What is shown, such as `Layer 1, head 2`. */
  readonly name: string;
}

/** What the reader does with the picture. */
export interface LargeMapActions {
  /** The pointer is over a patch, or over none. */
  readonly point: (token: number | undefined) => void;
  /** Chooses a token, with a key or not. */
  readonly choose: (token: number, byKey: boolean) => void;
  /** Says what is shown, or no more. */
  readonly speak: () => void;
  readonly hush: () => void;
  /** Plays the weights. */
  readonly play: () => void;
}

/** The picture under the map of a token's weights, and the other tokens above it. */
export function largeMap(
  words: PatchWords,
  shown: LargeMap,
  { point, choose, speak, hush, play }: LargeMapActions,
): TemplateResult {
  const { heads, token, query, name } = shown;
  const { first, rows, columns } = heads.patches;
  const tokenAt = (event: PointerEvent): number | undefined => {
    const { left, top, width, height } = (event.currentTarget as Element).getBoundingClientRect();
    const row = Math.floor(((event.clientY - top) / height) * rows);
    const column = Math.floor(((event.clientX - left) / width) * columns);
    return row < 0 || column < 0 || row >= rows || column >= columns ? undefined : first + row * columns + column;
  };
  const onRelease = (event: PointerEvent): void => {
    const at = tokenAt(event);
    if (at !== undefined && event.button === 0) choose(at, false);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.altKey || event.metaKey) return;
    if (isPlay(event)) play();
    const to = tokenBy(event.key, event.ctrlKey, query, shown);
    if (to === undefined) return;
    event.preventDefault();
    choose(to, true);
  };
  const onFocus = ({ target }: FocusEvent): void => {
    if ((target as Element).matches(':focus-visible')) speak();
  };
  const cursor = cellOf(heads, token);
  const isBeyond = Array.from(shown.row ?? []).some((weight) => weight > shown.high);
  return html`${first > 0 ? others(words, shown, choose) : nothing}
    <div
      class="plot"
      role="application"
      tabindex="0"
      aria-label=${words.text('patches.picture', { rows, columns, name })}
      aria-describedby="help"
      @keydown=${onKey}
      @focus=${onFocus}
      @blur=${hush}
      @pointermove=${(event: PointerEvent) => point(tokenAt(event))}
      @pointerup=${onRelease}
      @pointerleave=${() => point(undefined)}
      @pointercancel=${() => point(undefined)}
    >
      <canvas class="picture" aria-hidden="true"></canvas>
      <canvas class="heat" aria-hidden="true"></canvas>
      <svg class="overlay" aria-hidden="true">${cursorMark({ rows, columns, cursor })}</svg>
    </div>
    <span id="help" hidden>${words.text('patches.help')} ${words.text('map.play')}</span>
    <div class="under">
      <p class="readout" data-longest=${longestText(words, heads)}><span>${strongest(words, shown)}</span></p>
      <ramp-legend low="0" .high=${shown.high} .beyond=${isBeyond} .ramp=${heat}></ramp-legend>
    </div>
    <p class="remark">${hint(words.text('patches.hint'))}</p>`;
}

/** A patch's cell; undefined for another token. */
function cellOf({ patches: { first, columns } }: PatchHeads, token: number): Cell | undefined {
  return token < first ? undefined : { row: Math.floor((token - first) / columns), column: (token - first) % columns };
}

/** Where a key leads from a token. The tokens that are not patches are a row above the first row of patches. */
export function tokenBy(
  key: string,
  ctrl: boolean,
  from: number,
  { heads, patch }: Pick<LargeMap, 'heads' | 'patch'>,
): number | undefined {
  const { first, rows, columns } = heads.patches;
  const cell = cellOf(heads, from);
  if (cell === undefined) {
    if (key === 'ArrowDown') return first + ((patch - first) % columns);
    return moveCursor({ row: 0, column: from }, key, ctrl, 1, first)?.column;
  }
  if (key === 'ArrowUp' && cell.row === 0 && first > 0) return Math.min(cell.column, first - 1);
  const to = moveCursor(cell, key, ctrl, rows, columns);
  return to && first + to.row * columns + to.column;
}

/** Radio buttons: a patch, or one of the other tokens, each with the weight that it gets. */
function others(
  words: PatchWords,
  { heads, row, high, query, patch }: LargeMap,
  choose: LargeMapActions['choose'],
): TemplateResult {
  const { first } = heads.patches;
  const label = (token: number): string | TemplateResult => {
    if (token >= first) return words.text('patches.patch');
    const weight = row?.[token] ?? 0;
    const colour = hex(...heat.subarray(4 * rampIndex(weight, 0, high)).subarray(0, 3));
    return html`${tokenName(words, heads, token)}
      <svg class="swatch" width="12" height="12" aria-hidden="true"><rect width="12" height="12" fill=${colour} /></svg>
      <small aria-hidden="true">${words.number(weight, 3)}</small>`;
  };
  return choices({
    name: 'query',
    legend: words.text('patches.asks'),
    values: [patch, ...Array.from({ length: first }, (_, token) => token)],
    chosen: query,
    label,
    onChoose: (token) => choose(token, true),
  });
}

/** The tokens that a token attends to most, as text. */
export function strongest(words: PatchWords, { heads, row, token }: LargeMap): string {
  if (row === undefined) return '';
  const keys = Array.from(row, (weight, key) => ({ weight, key }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, NAMED)
    .map(({ weight, key }) => `${tokenName(words, heads, key)} (${words.value(weight)})`);
  let share = 0;
  for (let key = heads.patches.first; key < row.length; ++key) share += row[key]!;
  return sentence(words, tokenName(words, heads, token), keys, share);
}

function sentence(words: PatchWords, token: string, keys: readonly string[], share: number): string {
  return words.text('patches.strongest', { token, keys: keys.join('; '), share: words.percent(share, 0) });
}

/** As much text as there can be, so that nothing below it moves. */
function longestText(words: PatchWords, heads: PatchHeads): string {
  const { first, rows, columns } = heads.patches;
  const tokens = [...Array(first).keys(), first + rows * columns - 1];
  const name = longest(...tokens.map((token) => tokenName(words, heads, token)));
  return sentence(words, name, Array(NAMED).fill(`${name} (0.000)`) as string[], 1);
}
