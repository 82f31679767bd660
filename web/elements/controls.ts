import { html, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';

/** A labelled slider. `name` is unique in the figure; `text` is the value as people read it. */
export interface Slider {
  readonly name: string;
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step?: number;
  readonly text: string;
  readonly onInput: (value: number) => void;
}

/** A native range input with its label and its value in sight. */
export function slider({ name, label, value, min, max, step = 1, text, onInput }: Slider): TemplateResult {
  const read = (event: Event): void => onInput((event.target as HTMLInputElement).valueAsNumber);
  // The slider itself speaks its value; the output must not speak it a second time.
  return html`<div class="slider">
    <label for=${name}>${label}</label>
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
    />
  </div>`;
}

/** One of several radio buttons of the group `name`. */
export function choice(name: string, label: string, checked: boolean, onChoose: () => void): TemplateResult {
  return html`<label class="choice"
    ><input type="radio" name=${name} .checked=${live(checked)} @change=${onChoose} />${label}</label
  >`;
}
