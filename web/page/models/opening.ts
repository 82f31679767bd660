import { html, type TemplateResult } from 'lit';
import type { Checkpoint } from './checkpoint.js';
import type { ModelWords } from './words.js';

/** The state of opening a checkpoint. */
export type State =
  | { readonly kind: 'none' }
  | { readonly kind: 'reading' | 'opening'; readonly name: string; readonly share: number }
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
      return words.text('models.opening', { name: state.name, percent: words.percent(state.share, 0) });
    case 'refused':
      return words.text(`models.${state.reason}` as 'models.refused', {
        file: state.detail,
        message: state.detail,
        seconds: state.detail,
        size: state.reason === 'tooLarge' ? words.number(Number(state.detail), 1) : '',
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

/** Where readers drop a folder, choose one, or take the small model. */
export function dropZone(
  words: ModelWords,
  state: State,
  openFiles: (files: readonly File[]) => void,
  openStories: () => void,
): TemplateResult {
  const closed = state.kind === 'reading' || state.kind === 'opening';
  const onDrag = (event: DragEvent): void => {
    event.preventDefault();
    (event.currentTarget as Element).classList.toggle('over', event.type === 'dragover');
  };
  const onDrop = (event: DragEvent): void => {
    onDrag(event);
    const entries = [...(event.dataTransfer?.items ?? [])].flatMap((item) => item.webkitGetAsEntry() ?? []);
    void Promise.all(entries.map((entry) => filesIn(entry))).then((files) => openFiles(files.flat()));
  };
  const onChoose = ({ target }: Event): void => {
    const files = [...((target as HTMLInputElement).files ?? [])];
    if (files.length > 0) openFiles(files);
  };
  const choose = ({ currentTarget }: Event): void =>
    ((currentTarget as Element).nextElementSibling as HTMLInputElement).click();
  return html`<div class="drop" @dragover=${onDrag} @dragleave=${onDrag} @drop=${onDrop}>
    <p>${words.text('models.drop')}</p>
    <div class="buttons">
      <button type="button" ?disabled=${closed} @click=${choose}>${words.text('models.choose')}</button
      ><input type="file" hidden webkitdirectory multiple @change=${onChoose} />
      <button type="button" ?disabled=${closed} @click=${openStories}>${words.text('models.stories')}</button>
    </div>
  </div>`;
}

/** The dropped file, or the files of a folder without its subfolders. */
export async function filesIn(entry: FileSystemEntry, isInside = false): Promise<File[]> {
  if (entry.isFile) {
    return new Promise((resolve) =>
      (entry as FileSystemFileEntry).file(
        (file) => resolve([file]),
        () => resolve([]),
      ),
    );
  }
  if (isInside) return [];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const entries: FileSystemEntry[] = [];
  // The browser returns entries in batches, the last of which is empty.
  for (let some = [entry]; some.length > 0; entries.push(...some)) {
    some = await new Promise((resolve) => reader.readEntries(resolve, () => resolve([])));
  }
  return (await Promise.all(entries.map((each) => filesIn(each, true)))).flat();
}
