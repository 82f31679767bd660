import { html, type TemplateResult } from 'lit';

/** A field for a text of several lines. `read` gets what the reader writes. */
export function textArea(
  id: string,
  label: string,
  rows: number,
  text: string,
  read: (text: string) => void,
): TemplateResult {
  const onInput = ({ target }: Event): void => read((target as HTMLTextAreaElement).value);
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <textarea id=${id} rows=${rows} spellcheck="false" .value=${text} @input=${onInput}></textarea>
  </div>`;
}
