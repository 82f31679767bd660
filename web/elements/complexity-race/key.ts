import { html, nothing, svg, type SVGTemplateResult, type TemplateResult } from 'lit';
import type { Localised } from '../shared/localised.js';
import { sampleDot } from './drawing.js';
import { CONTESTANTS } from './plan.js';
import type { RacePlot } from './plot.js';

/** What has been added to the curves once there are times: dots, lines between them, and where attention crosses the others. */
export function keyToMeasured(plot: RacePlot, words: Localised): TemplateResult | typeof nothing {
  const { curves, crossings } = plot;
  const most = Math.max(...curves.map(({ measured }) => measured.length));
  if (most === 0) return nothing;
  const item = (
    key: 'measuredTime' | 'measuredLine' | 'countedCrossing' | 'measuredCrossing',
    width: number,
    sample: SVGTemplateResult | readonly SVGTemplateResult[],
  ): TemplateResult =>
    html`<span>
      <svg width=${width} height="14" aria-hidden="true">${sample}</svg>${words.text(`race.${key}`)}
    </span>`;
  const crosses = (kind: boolean): boolean => crossings.some(({ measured }) => measured === kind);
  const circle = (kind: string): SVGTemplateResult => svg`<circle class=${kind} cx="7" cy="7" r="6" />`;
  return html`<div class="legend">
    ${item(
      'measuredTime',
      12 * CONTESTANTS.length,
      CONTESTANTS.map((contestant, index) => sampleDot(contestant, 6 + 12 * index, 7)),
    )}
    ${most > 1 ? item('measuredLine', 22, svg`<path class="between colour-2" d="M0 7h22" />`) : nothing}
    ${crosses(false) ? item('countedCrossing', 14, circle('crossing')) : nothing}
    ${crosses(true) ? item('measuredCrossing', 14, circle('crossing measured')) : nothing}
  </div>`;
}
