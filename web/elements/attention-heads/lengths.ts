import { html, type TemplateResult } from 'lit';
import { numberField, slider } from '../shared/controls/controls.js';
import type { Localised } from '../shared/localised.js';
import { BATCH, TOKENS } from './textbook-case.js';

type Lengths = readonly number[];

const replaced = (lengths: Lengths, at: number, by: number): Lengths => lengths.map((old, i) => (i === at ? by : old));

/** A slider for the valid length of each sequence. */
export function lengthSliders(
  words: Localised,
  lengths: Lengths,
  change: (lengths: Lengths) => void,
): TemplateResult[] {
  return lengths.map((value, sequence) =>
    slider({
      name: `valid-${sequence}`,
      label: words.text('heads.valid', { sequence: sequence + 1 }),
      value,
      min: 0,
      max: TOKENS,
      text: words.number(value),
      onInput: (to) => change(replaced(lengths, sequence, to)),
    }),
  );
}

/** A number field, one digit wide, for the valid length of each query; one line per sequence. */
export function queryLengths(words: Localised, lengths: Lengths, change: (lengths: Lengths) => void): TemplateResult[] {
  const field = (sequence: number, query: number): TemplateResult => {
    const at = sequence * TOKENS + query;
    return numberField({
      label: words.text('heads.queryLen', { sequence: sequence + 1, query: query + 1 }),
      value: lengths[at] ?? 0,
      min: 0,
      max: TOKENS,
      onInput: (to) => change(replaced(lengths, at, to)),
    });
  };
  return Array.from(
    { length: BATCH },
    (_, sequence) =>
      html`<fieldset class="query-lengths">
        <legend>${words.text('heads.queryLens', { sequence: sequence + 1 })}</legend>
        ${Array.from({ length: TOKENS }, (_, query) => field(sequence, query))}
      </fieldset>`,
  );
}
