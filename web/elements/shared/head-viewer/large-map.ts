import { html, nothing, type TemplateResult } from 'lit';
import { hint } from '../controls/controls.js';
import { entropyBars } from '../entropy/entropy-bars.js';
import type { CellDetail } from '../../package-types.js';
import { onCell } from '../heat-map/heat-map.js';
import { shownOf } from '../heat-map/marks.js';
import type { Localised } from '../localised.js';
import { shortened } from '../tokens.js';
import type { Heads } from '../heads/heads.js';
import { MOST_TOKENS } from './lines.js';

/**
 * The most letters of a token on an axis, the least distance of two labels, and the width of what is beside the map, in
 * CSS pixels.
 */
const ROOM = 10;
const LABEL = 12;
const BESIDE = 170;

/** A head as a map. */
export interface LargeMap {
  readonly heads: Pick<Heads, 'tokens' | 'keyTokens' | 'mask'>;
  /** Its weights, and the entropy of each row. */
  readonly map: ArrayLike<number>;
  readonly bits: readonly number[];
  readonly label: string;
  /** In CSS pixels, with what is beside the map. */
  readonly width: number;
  /** The cell that the reader points at. */
  readonly cell: CellDetail | undefined;
}

/** The map with tokens on its axes, the entropy of each row, and the weight that the reader points at. */
export function largeMap(
  words: Localised,
  { heads, map, bits, label, width, cell }: LargeMap,
  point: (cell: CellDetail) => void,
): TemplateResult {
  const { tokens, keyTokens, mask } = heads;
  const longest = Math.max(keyTokens.length, tokens.length);
  const step = Math.max(1, Math.ceil((LABEL * longest) / Math.max(1, width - BESIDE)));
  const named = (all: readonly string[]): string[] => all.map((token) => shortened(token, ROOM));
  return html`<div class="with-entropies">
      <heat-map
        bare
        .values=${map}
        .mask=${mask}
        .rows=${tokens.length}
        .columns=${keyTokens.length}
        .rowLabels=${named(tokens)}
        .columnLabels=${named(keyTokens)}
        .labelStep=${step}
        .cursor=${cell}
        low="0"
        high="1"
        origin="1"
        label=${label}
        row-name=${words.text('query')}
        column-name=${words.text('key')}
        @cell-change=${onCell(point)}
      ></heat-map>
      ${
        bits.length > MOST_TOKENS
          ? nothing
          : entropyBars(
              bits,
              Math.log2(keyTokens.length),
              shownOf({ count: bits.length, step, cursor: cell?.row }),
              words,
            )
      }
    </div>
    <p class="readout">${cell === undefined ? hint(words.text('viewer.pointAt')) : readout(words, heads, map, cell)}</p>
    <ramp-legend low="0" high="1"></ramp-legend>`;
}

function readout(
  words: Localised,
  { tokens, keyTokens, mask }: LargeMap['heads'],
  map: ArrayLike<number>,
  { row, column }: CellDetail,
): TemplateResult {
  const at = row * keyTokens.length + column;
  const masked = words.text(column > row ? 'tokens.masked' : 'map.masked');
  return html`${words.text('viewer.readout', { query: tokens[row] ?? '', key: keyTokens[column] ?? '' })}
    <strong>${words.value(map[at] ?? NaN)}</strong>
    ${mask?.[at] === false ? `(${masked})` : nothing}`;
}
