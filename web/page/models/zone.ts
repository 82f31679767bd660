import { html, nothing, type TemplateResult } from 'lit';
import type { ModelWords } from './words.js';

/** Where readers drop files, with what is in it. Touch screens have nothing to drop, and do not speak of it. */
export function zone(
  words: ModelWords,
  name: string,
  take: (dropped: DataTransfer) => void,
  content: TemplateResult,
): TemplateResult {
  const onDrag = (event: DragEvent): void => {
    event.preventDefault();
    (event.currentTarget as Element).classList.toggle('over', event.type === 'dragover');
  };
  const onDrop = (event: DragEvent): void => {
    onDrag(event);
    if (event.dataTransfer) take(event.dataTransfer);
  };
  return html`<div class="drop ${name}" @dragover=${onDrag} @dragleave=${onDrag} @drop=${onDrop}>
    ${content}
    <p class="here">${words.text('models.here')}</p>
  </div>`;
}

/** A button that asks for a file of the kinds in `accept`, or without it for a folder. */
export function chooser(
  label: string,
  accept: string | undefined,
  take: (files: readonly [File, ...File[]]) => void,
): TemplateResult {
  const isFolder = accept === undefined;
  const onChoose = ({ target }: Event): void => {
    const input = target as HTMLInputElement;
    const [first, ...others] = input.files ?? [];
    // The same file may be chosen again.
    input.value = '';
    if (first) take([first, ...others]);
  };
  const choose = ({ currentTarget }: Event): void =>
    ((currentTarget as Element).nextElementSibling as HTMLInputElement).click();
  return html`<button type="button" @click=${choose}>${label}</button
    ><input
      type="file"
      hidden
      accept=${accept ?? nothing}
      ?webkitdirectory=${isFolder}
      ?multiple=${isFolder}
      @change=${onChoose}
    />`;
}
