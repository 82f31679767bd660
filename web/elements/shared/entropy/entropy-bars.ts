import { css, html, svg, type TemplateResult } from 'lit';
import type { Localised } from '../localised.js';

/**
 * A bar beside each row of a heat map: the row's entropy in bits, out of `most`, with a number in the rows of
 * `numbered`. Bands are as high as the map's rows. For NaN (a row that sees nothing) the band is empty.
 */
export function entropyBars(
  bits: readonly number[],
  most: number,
  numbered: readonly number[],
  words: Localised,
): TemplateResult {
  const band = 100 / bits.length;
  const format = (value: number): string => (Number.isNaN(value) ? '–' : words.number(value, 1));
  const label = words.text('tokens.entropyLabel', { most: words.number(most, 1) });
  return html`<div class="entropies">
    <svg class="entropy" role="img" aria-label="${label}: ${bits.map(format).join('; ')}">
      ${bits.map((value, row) => {
        const share = most > 0 && value > 0 ? value / most : 0;
        // The last part of the width is for the numbers.
        return svg`<rect class="room" x="0" y="${(row + 0.3) * band}%" width="55%" height="${0.4 * band}%" />
        <rect class="bar" x="0" y="${(row + 0.3) * band}%" width="${55 * share}%" height="${0.4 * band}%" />`;
      })}
      ${numbered.map(
        (row) => svg`<text x="62%" y="${(row + 0.5) * band}%" dy="0.35em">${format(bits[row] ?? NaN)}</text>`,
      )}
    </svg>
    <p class="entropy-name" aria-hidden="true">${words.text('tokens.entropy')}</p>
  </div>`;
}

/** A heat map's entropy bars. */
export const entropyStyles = css`
  .entropies {
    display: grid;
    grid-template-rows: minmax(0, 1fr) var(--heat-map-column-ticks);
    margin-inline-start: 0.5rem;
  }
  .entropy {
    display: block;
    /* As high as the map's cells, not as the bars would like to be: WebKit takes 100 % of the whole frame. */
    contain: size;
    align-self: stretch;
    width: 100%;
    overflow: visible;
  }
  .entropy-name {
    margin-top: 0.375rem;
    color: var(--_quiet);
    font-size: 0.75rem;
    line-height: 1.2;
  }
  .room {
    fill: var(--_line);
  }
  .bar {
    fill: var(--_series-0);
  }
`;
