import { html, nothing, type TemplateResult } from 'lit';
import type { ModelWords } from './words.js';
import { chooser, zone } from './zone.js';

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
  return zone(
    words,
    'picture',
    ({ files }) => take(pictureIn(files)),
    html`<div class="buttons">
      ${chooser(words.text('models.choosePicture'), 'image/*', ([picture]) => take(picture))}
      ${
        // Browsers have it on pages with https alone.
        'read' in (navigator.clipboard ?? {})
          ? html`<button type="button" @click=${paste}>${words.text('models.pastePicture')}</button>`
          : nothing
      }
    </div>`,
  );
}
