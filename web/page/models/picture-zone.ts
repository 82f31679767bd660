import { html, nothing, type TemplateResult } from 'lit';
import type { ModelWords } from './words.js';

/** The first picture among files. */
export function pictureIn(files: Iterable<File> | undefined): File | undefined {
  return [...(files ?? [])].find(({ type }) => type.startsWith('image/'));
}

/** The picture in the clipboard, where the browser lets pages ask for it. */
export async function pictureInClipboard(): Promise<Blob | undefined> {
  for (const item of await navigator.clipboard.read()) {
    const type = item.types.find((each) => each.startsWith('image/'));
    if (type !== undefined) return item.getType(type);
  }
  return undefined;
}

/** Where readers drop a picture, choose one, or paste one. `take` gets undefined for what is no picture. */
export function pictureZone(
  words: ModelWords,
  take: (picture: Blob | undefined) => void,
  paste: () => void,
): TemplateResult {
  const onDrag = (event: DragEvent): void => {
    event.preventDefault();
    (event.currentTarget as Element).classList.toggle('over', event.type === 'dragover');
  };
  const onDrop = (event: DragEvent): void => {
    onDrag(event);
    take(pictureIn(event.dataTransfer?.files));
  };
  const onChoose = ({ target }: Event): void => {
    const input = target as HTMLInputElement;
    if (input.files?.[0]) take(input.files[0]);
    // The same file may be chosen again.
    input.value = '';
  };
  const choose = ({ currentTarget }: Event): void =>
    ((currentTarget as Element).nextElementSibling as HTMLInputElement).click();
  return html`<div class="drop picture" @dragover=${onDrag} @dragleave=${onDrag} @drop=${onDrop}>
    <p>${words.text('models.picture')}</p>
    <div class="buttons">
      <button type="button" @click=${choose}>${words.text('models.choosePicture')}</button
      ><input type="file" hidden accept="image/*" @change=${onChoose} />
      ${
        // Browsers have it on pages with https alone.
        'read' in (navigator.clipboard ?? {})
          ? html`<button type="button" @click=${paste}>${words.text('models.pastePicture')}</button>`
          : nothing
      }
    </div>
  </div>`;
}
