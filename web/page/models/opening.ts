import { html, type TemplateResult } from 'lit';
import type { Checkpoint, Files, Given } from './checkpoint.js';
import { pictureIn } from './picture-zone.js';
import { TYPES, type WeightType } from './sizes.js';
import type { ModelWords } from './words.js';
import { chooser, zone } from './zone.js';

/** From how many bytes in memory on readers are asked before they are taken, and how many a wasm memory has. */
export const LARGE = 200e6;
const MOST_MEMORY = 2 ** 32;

/** The files of a checkpoint, and how its weights are kept in memory. */
interface Found {
  readonly files: Files;
  readonly weightType: WeightType;
}

/** The bytes read so far, and of all that will be read. */
interface Opening extends Found {
  readonly kind: 'opening';
  readonly done: number;
  readonly total: number;
}

/** The state of opening a checkpoint. */
export type State =
  | { readonly kind: 'none' }
  | { readonly kind: 'reading'; readonly name: string }
  | { readonly kind: 'asked'; readonly files: Files }
  | Opening
  | ({ readonly kind: 'refused'; readonly reason: string; readonly detail: string } & Partial<Found>)
  | ({ readonly kind: 'open'; readonly checkpoint: Checkpoint } & Found);

export function opening(files: Files, weightType: WeightType): Opening {
  return { kind: 'opening', files, weightType, done: 0, total: files.sizes?.files ?? 1 };
}

/** The state as text. */
export function statusOf(words: ModelWords, state: State): string {
  switch (state.kind) {
    case 'none':
      return words.text('models.private');
    case 'reading':
      return words.text('models.reading', { name: state.name });
    case 'asked': {
      const { name, sizes } = state.files;
      return words.text('models.asked', { name, size: megabytes(words, sizes!.files) });
    }
    case 'opening':
      return words.text('models.opening', {
        name: state.files.name,
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
      }).format(state.files.sizes?.count ?? model.parameterBytes / 4);
      return `${words.text('models.facts', facts)}, ${words.text('models.params', { count })}`;
    }
  }
}

/** `145 MB`, as the language says it. */
export function megabytes(words: ModelWords, bytes: number): string {
  const size = Math.max(0.1, bytes / 1e6);
  return new Intl.NumberFormat(words.language, {
    style: 'unit',
    unit: 'megabyte',
    maximumFractionDigits: size < 10 ? 1 : 0,
  }).format(size);
}

/**
 * Where readers drop a folder or a file, choose one, or take the small model. `takePicture` returns whether a picture that
 * was dropped here is for the open model.
 */
export function dropZone(
  words: ModelWords,
  openFiles: (given: Given, name: string) => void,
  openStories: () => void,
  takePicture: (picture: File) => boolean,
): TemplateResult {
  const onDrop = (dropped: DataTransfer): void => {
    const picture = pictureIn(dropped.files);
    if (picture && takePicture(picture)) return;
    // The event's own list is empty when the code that opens it has been loaded.
    const items = [...dropped.items].map((item) => {
      const [entry, file] = [item.webkitGetAsEntry(), item.getAsFile()];
      return { webkitGetAsEntry: () => entry, getAsFile: () => file };
    });
    const name = items[0]?.webkitGetAsEntry()?.name ?? items[0]?.getAsFile()?.name;
    if (name !== undefined) openFiles({ items } as unknown as DataTransfer, name);
  };
  const choose = (files: readonly [File, ...File[]]): void => {
    const [{ webkitRelativePath, name }] = files;
    openFiles(files, /^[^/]+(?=\/)/.exec(webkitRelativePath)?.[0] ?? name);
  };
  return zone(
    words,
    '',
    onDrop,
    html`<p>${words.text('models.files')}</p>
      <div class="buttons">
        ${chooser(words.text('models.choose'), undefined, choose)}
        ${chooser(words.text('models.chooseFile'), '.gguf', choose)}
        <button type="button" @click=${openStories}>${words.text('models.stories')}</button>
      </div>`,
  );
}

/** In which forms the weights may be in memory, with the bytes that they take; the present one is pressed. */
export function typeChoice(
  words: ModelWords,
  state: State,
  load: (files: Files, weightType: WeightType) => void,
): TemplateResult {
  const files = 'files' in state ? state.files : undefined;
  if (files?.sizes === undefined) return html``;
  const { sizes } = files;
  const present = 'weightType' in state ? state.weightType : undefined;
  const label = words.text('models.memory', { type: sizes.type });
  return html`<div class="buttons" role="group" aria-label=${label}>
    <span>${label}</span>
    ${TYPES.map(
      (type) =>
        html`<button
          type="button"
          aria-pressed=${type === present}
          ?disabled=${sizes[type] > MOST_MEMORY}
          @click=${() => load(files, type)}
        >
          ${type}: ${megabytes(words, sizes[type])}
        </button>`,
    )}
  </div>`;
}
