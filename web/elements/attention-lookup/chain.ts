import { html, svg, type TemplateResult } from 'lit';
import type { FigureData } from '../shared/figure/figure-data.js';
import type { Localised } from '../shared/localised.js';
import { markOf } from './plane.js';
import type { Lookup, Point, Scene } from './scene.js';

const SHAPES = ['circle', 'square', 'triangle'] as const;

/** The score bars' least range; larger scores rescale them all. */
const LEAST_SCORE = 3;

/** The chain from scores to weights to the mixture, one row per key: a table with bars. */
export function chain(words: Localised, scene: Scene, { scores, weights, mixture }: Lookup): TemplateResult {
  const reach = scores.reduce(
    (most, score) => (Number.isFinite(score) ? Math.max(most, Math.abs(score)) : most),
    LEAST_SCORE,
  );
  const row = (_: Point, i: number): TemplateResult => {
    const [score = NaN, weight = NaN, value = [NaN, NaN]] = [scores[i], weights[i], scene.values[i]];
    return html`<tr class="series-${i}${i < scene.valid ? '' : ' masked'}">
      <th scope="row">
        <svg class="sign" viewBox="-8 -8 16 16" aria-hidden="true">${markOf(SHAPES[i] ?? 'circle')}</svg
        ><span class="number">${i + 1}</span>
      </th>
      <td>
        ${scoreBar(score, reach)}
        <span class="number">${words.number(score, 2)}</span>
      </td>
      <td>
        ${weightBar(weight)}
        <span class="number">${words.value(weight)}</span>
      </td>
      <td>${pairText(words, [weight * value[0], weight * value[1]], 2)}</td>
    </tr>`;
  };
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const name = (['score', 'weight', 'share'] as const).map((column) => words.text(`lookup.${column}`)).join(', ');
  return html`<table class="chain" aria-label=${name}>
    <colgroup>
      <col class="name" />
      <col />
      <col />
      <col class="share" />
    </colgroup>
    <thead>
      <tr>
        <th scope="col">${words.text('key')}</th>
        <th scope="col">${words.text('lookup.score')}<br />q·k / (T√d<sub>k</sub>)</th>
        <th scope="col">${words.text('lookup.weight')}<br />softmax</th>
        <th scope="col">${words.text('lookup.share')}<br />α·v</th>
      </tr>
    </thead>
    <tbody>
      ${scene.keys.map(row)}
    </tbody>
    <tfoot>
      <tr class="mixture">
        <th scope="row">
          <svg class="sign" viewBox="-11 -11 22 22" aria-hidden="true">${markOf('diamond')}</svg
          ><span class="number">y</span>
        </th>
        <td></td>
        <td><span class="number">Σ = ${words.number(total, 3)}</span></td>
        <td><strong>${pairText(words, mixture, 2)}</strong></td>
      </tr>
    </tfoot>
  </table>`;
}

/** The temperature, each key's weight, and the mixture. */
export function shownText(
  words: Localised,
  { valid, temperature }: Pick<Scene, 'valid' | 'temperature'>,
  { weights, mixture }: Pick<Lookup, 'weights' | 'mixture'>,
): string {
  if (valid === 0) return words.text('lookup.none');
  const each = weights.map((weight, i) =>
    i < valid
      ? words.text('lookup.weightOf', { key: i + 1, weight: words.percent(weight, 0) })
      : words.text('lookup.maskedKey', { key: i + 1 }),
  );
  const shown = {
    temperature: words.number(temperature),
    weights: each.join(', '),
    mixture: pairText(words, mixture, 2),
  };
  return words.text('lookup.shown', shown);
}

/** `(0.8, 1.2)`; with a decimal comma, `(0,8; 1,2)`. */
export function pairText(words: Localised, [x, y]: Point, digits: number): string {
  const separator = words.number(0.5, 1).includes(',') ? ';' : ',';
  return `(${words.number(x, digits)}${separator} ${words.number(y, digits)})`;
}

/** A bar from zero in the middle, to the right or to the left. */
function scoreBar(score: number, reach: number): TemplateResult {
  const size = Number.isFinite(score) ? (50 * Math.abs(score)) / reach : 0;
  return html`<svg class="bar" aria-hidden="true">
    <rect class="track" width="100%" height="100%" />
    ${svg`<rect class="fill" x="${score < 0 ? 50 - size : 50}%" width="${size}%" height="100%" />`}
    <line class="zero" x1="50%" x2="50%" y1="-15%" y2="115%" />
  </svg>`;
}

/** A bar from zero to one. */
function weightBar(weight: number): TemplateResult {
  return html`<svg class="bar" aria-hidden="true">
    <rect class="track" width="100%" height="100%" />
    ${svg`<rect class="fill" width="${100 * weight}%" height="100%" />`}
  </svg>`;
}

/** One row per key: the key, its score, its weight and its value. */
export function lookupData(words: Localised, scene: Scene, { scores, weights }: Lookup): FigureData {
  const value = words.text('lookup.value');
  return {
    columns: [
      words.text('key'),
      'k x',
      'k y',
      words.text('lookup.score'),
      words.text('lookup.weight'),
      `${value} x`,
      `${value} y`,
    ],
    rows: scene.keys.map((key, i) => [i + 1, ...key, scores[i] ?? NaN, weights[i] ?? NaN, ...(scene.values[i] ?? [])]),
  };
}
