import { html, nothing, type TemplateResult } from 'lit';
import { hint } from '../shared/controls/controls.js';
import type { FigureData } from '../shared/figure/figure-data.js';
import type { Localised } from '../shared/localised.js';
import { shapeOf, STAGES, type Pipeline, type Sizes, type Stage } from './pipeline.js';

/** The most digits of a number in the readout. */
const LONGEST = { heads: 12, width: 128, each: 128 };

/** A head's shapes, if the heads divide the width. */
export function followed(words: Localised, { width, heads }: Sizes, head: number): string | undefined {
  const each = width / heads;
  if (!Number.isInteger(each)) return undefined;
  const [first, last] = [head * each + 1, (head + 1) * each];
  return words.text('shapes.follow', { head: head + 1, first, last });
}

/** The text about the selected head, or about all and how to select one; empty if there is an error. */
export function readout(
  words: Localised,
  { width, heads }: Sizes,
  ofHead: string | undefined,
  error: string | undefined,
): TemplateResult {
  const invitation = words.text('shapes.hint');
  const all = (): TemplateResult =>
    html`${words.text('shapes.divides', { heads, width, each: width / heads })} ${hint(invitation)}`;
  const longest = `${words.text('shapes.divides', LONGEST)} ${invitation.replace(/[[\]]/g, '')}`;
  return html`<p class="readout" role="status" data-longest=${longest}>
    <span>${error === undefined ? (ofHead ?? all()) : nothing}</span>
  </p>`;
}

/** The library's error, in place of the stages that are not reached. */
export function failure(words: Localised, { width, heads }: Sizes, error: string | undefined): TemplateResult {
  return html`<div class="failure ${error === undefined ? 'empty' : ''}" role="status">
    ${
      error === undefined
        ? nothing
        : html`<p>${words.text('shapes.fails', { heads, width, rest: width % heads })}</p>
            <p class="error"><code lang="en">${error}</code></p>`
    }
  </div>`;
}

/** A stage's description, without line breaks inside a shape in brackets. */
export function stageText(words: Localised, stage: Stage): unknown[] {
  return words
    .text(`shapes.${stage}`)
    .split(/(\([^)]*\))/)
    .map((part) => (part.startsWith('(') ? html`<span class="together">${part}</span>` : part));
}

/** One row per reached stage: its name, its shape and its number of elements. */
export function shapesData(words: Localised, { shapes }: Pipeline): FigureData {
  const rows = STAGES.flatMap((stage) => {
    const shape = shapes[stage];
    const count = shape?.reduce((product, size) => product * size, 1);
    return shape === undefined || count === undefined ? [] : [[words.text(`shapes.${stage}`), shapeOf(shape), count]];
  });
  return {
    columns: [words.text('shapes.stage'), words.text('shapes.shape'), words.text('shapes.count')],
    rows,
  };
}
