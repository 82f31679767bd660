import { html, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { Limits } from '../settings.js';

/** A labelled slider. `name` is unique in the figure; `text` is the displayed value. */
export interface Slider extends Limits {
  readonly name: string;
  readonly label: string;
  readonly value: number;
  readonly text: string;
  readonly onInput: (value: number) => void;
}

/** A native range input with a visible label and value. */
export function slider({ name, label, value, min, max, step = 1, text, onInput }: Slider): TemplateResult {
  const inputOf = (event: Event): HTMLInputElement => event.target as HTMLInputElement;
  const read = (event: Event): void => onInput(inputOf(event).valueAsNumber);
  // A finger on the track moves the slider at once. If it then scrolls the page, the slider goes back.
  const press = (event: Event): void => void (inputOf(event).dataset.before = inputOf(event).value);
  const takeBack = (event: Event): void => onInput(Number(inputOf(event).dataset.before));
  // Screen readers already read the slider's value and must not read the output as well.
  return html`<div class="slider">
    <label for=${name}>${withSymbol(label)}</label>
    <output for=${name} aria-live="off">${text}</output>
    <input
      id=${name}
      type="range"
      min=${min}
      max=${max}
      step=${step}
      .value=${live(String(value))}
      aria-valuetext=${text}
      @input=${read}
      @pointerdown=${press}
      @pointercancel=${takeBack}
    />
  </div>`;
}

/** Text with no line break before a symbol at its end: `Kernel size k`. */
function withSymbol(label: string): string {
  return label.replace(/ (\p{L})$/u, '\u00a0$1');
}

/**
 * A hint on how to use a figure. Pictures leave it out, and touch screens leave out the part about keys, in brackets.
 */
export function hint(text: string): TemplateResult {
  const [before, keys, after] = text.split(/[[\]]/);
  return html`<span class="hint">${before}<span class="keys">${keys}</span>${after}</span>`;
}

/** The longest of the texts that an element may show. In its `data-longest`, it reserves the height. */
export function longest(...texts: readonly string[]): string {
  return texts.reduce((most, text) => (text.length > most.length ? text : most));
}

/** One of several radio buttons of the group `name`. */
export function choice(
  name: string,
  label: string | TemplateResult,
  checked: boolean,
  onChoose: () => void,
): TemplateResult {
  return html`<label class="choice"
    ><input type="radio" name=${name} .checked=${live(checked)} @change=${onChoose} />${label}</label
  >`;
}

/** Radio buttons under a legend, one per value. */
export interface Choices<T> {
  readonly name: string;
  readonly legend: string;
  readonly values: readonly T[];
  readonly chosen: T;
  readonly label: (value: T) => string | TemplateResult;
  readonly onChoose: (value: T) => void;
  /** What follows the buttons. */
  readonly more?: TemplateResult | undefined;
}

export function choices<T>({ name, legend, values, chosen, label, onChoose, more }: Choices<T>): TemplateResult {
  return html`<fieldset class="choices">
    <legend>${legend}</legend>
    <div class="options">
      ${values.map((value) => choice(name, label(value), value === chosen, () => onChoose(value)))} ${more}
    </div>
  </fieldset>`;
}

/** A check box: on or off. */
export function toggle(label: string, checked: boolean, onToggle: (checked: boolean) => void): TemplateResult {
  const read = (event: Event): void => onToggle((event.target as HTMLInputElement).checked);
  return html`<label class="choice"
    ><input type="checkbox" .checked=${live(checked)} @change=${read} />${label}</label
  >`;
}

/** A line of text that the reader writes, across the whole row of controls. */
export interface TextField {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  /** Shown and used until the reader writes anything. */
  readonly placeholder: string;
  readonly onInput: (value: string) => void;
}

/** A text field with its label. It has no `maxlength`, because browsers would silently truncate pasted text. */
export function textField({ name, label, value, placeholder, onInput }: TextField): TemplateResult {
  const read = (event: Event): void => onInput((event.target as HTMLInputElement).value);
  return html`<div class="text-field" data-control>
    <label for=${name}>${label}</label>
    <input
      id=${name}
      type="text"
      autocomplete="off"
      spellcheck="false"
      placeholder=${placeholder}
      .value=${live(value)}
      @input=${read}
    />
  </div>`;
}
