import { html, type TemplateResult } from 'lit';
import type { Checkpoint, Given } from './checkpoint.js';
import { pictureIn } from './picture-zone.js';
import type { ModelWords } from './words.js';

/** The state of opening a checkpoint. */
export type State =
  | { readonly kind: 'none' }
  | { readonly kind: 'reading'; readonly name: string }
  | { readonly kind: 'opening'; readonly name: string; readonly done: number; readonly total: number }
  | { readonly kind: 'refused'; readonly reason: string; readonly detail: string }
  | { readonly kind: 'open'; readonly checkpoint: Checkpoint };

/** The state as text. */
export function statusOf(words: ModelWords, state: State): string {
  switch (state.kind) {
    case 'none':
      return words.text('models.private');
    case 'reading':
      return words.text('models.reading', { name: state.name });
    case 'opening':
      return words.text('models.opening', {
        name: state.name,
        done: words.number(state.done / 1e6, 1),
        total: words.number(state.total / 1e6, 1),
      });
    case 'refused':
      return words.text(`models.${state.reason}` as 'models.refused', {
        file: state.detail,
        message: state.detail,
        seconds: state.detail,
      });
    case 'open': {
      const { name, model } = state.checkpoint;
      const facts = { name, family: model.family, layers: model.numLayers, heads: model.numHeads };
      // `263 thousand`, as the language says it.
      const count = new Intl.NumberFormat(words.language, {
        notation: 'compact',
        compactDisplay: 'long',
        maximumSignificantDigits: 3,
      }).format(model.parameterBytes / 4);
      return `${words.text('models.facts', facts)}, ${words.text('models.params', { count })}`;
    }
  }
}

/**
 * Where readers drop a folder or a file, choose one, or take the small model. `takePicture` returns whether a picture that
 * was dropped here is for the open model.
 */
export function dropZone(
  words: ModelWords,
  state: State,
  openFiles: (given: Given, name: string) => void,
  openStories: () => void,
  takePicture: (picture: File) => boolean,
): TemplateResult {
  const closed = state.kind === 'reading' || state.kind === 'opening';
  const onDrag = (event: DragEvent): void => {
    event.preventDefault();
    (event.currentTarget as Element).classList.toggle('over', event.type === 'dragover');
  };
  const onDrop = (event: DragEvent): void => {
    onDrag(event);
    const picture = pictureIn(event.dataTransfer?.files);
    if (picture && takePicture(picture)) return;
    // The event's own list is empty when the code that opens it has been loaded.
    const items = [...(event.dataTransfer?.items ?? [])].map((item) => {
      const [entry, file] = [item.webkitGetAsEntry(), item.getAsFile()];
      return { webkitGetAsEntry: () => entry, getAsFile: () => file };
    });
    const name = items[0]?.webkitGetAsEntry()?.name ?? items[0]?.getAsFile()?.name;
    if (name !== undefined) openFiles({ items } as unknown as DataTransfer, name);
  };
  const onChoose = ({ target }: Event): void => {
    const files = [...((target as HTMLInputElement).files ?? [])];
    const [first] = files;
    if (first) openFiles(files, /^[^/]+(?=\/)/.exec(first.webkitRelativePath)?.[0] ?? first.name);
  };
  const choose = ({ currentTarget }: Event): void =>
    ((currentTarget as Element).nextElementSibling as HTMLInputElement).click();
  return html`<div class="drop" @dragover=${onDrag} @dragleave=${onDrag} @drop=${onDrop}>
    <p>${words.text('models.drop')}</p>
    <div class="buttons">
      <button type="button" ?disabled=${closed} @click=${choose}>${words.text('models.choose')}</button
      ><input type="file" hidden webkitdirectory multiple @change=${onChoose} />
      <button type="button" ?disabled=${closed} @click=${choose}>${words.text('models.chooseFile')}</button
      ><input type="file" hidden accept=".gguf" @change=${onChoose} />
      <button type="button" ?disabled=${closed} @click=${openStories}>${words.text('models.stories')}</button>
    </div>
  </div>`;
}
