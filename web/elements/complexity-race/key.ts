import { html, svg, type SVGTemplateResult, type TemplateResult } from 'lit';
import type { RaceWords } from './texts.js';
import { sampleDot } from './drawing.js';
import { CONTESTANTS } from './plan.js';

/**
 * The legend for what the plot shows besides its curves. It is there before the first times, so that nothing moves when
 * they come.
 */
export function keyToMarks(words: RaceWords): TemplateResult {
  const item = (
    key: 'measuredTime' | 'measuredLine' | 'countedCrossing',
    width: number,
    sample: SVGTemplateResult | readonly SVGTemplateResult[],
  ): TemplateResult =>
    html`<span> <svg width=${width} height="14" aria-hidden="true">${sample}</svg>${words.text(`race.${key}`)} </span>`;
  return html`<div class="legend">
    ${item('countedCrossing', 14, svg`<circle class="crossing" cx="7" cy="7" r="6" />`)}
    ${item(
      'measuredTime',
      12 * CONTESTANTS.length,
      CONTESTANTS.map((contestant, index) => sampleDot(contestant, 6 + 12 * index, 7)),
    )}
    ${item('measuredLine', 22, svg`<path class="between colour-2" d="M0 7h22" />`)}
  </div>`;
}
