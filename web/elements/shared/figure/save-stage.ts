import type { LitElement } from 'lit';
import type { Localised } from '../localised.js';
import type { FigureData } from './figure-data.js';
import type { FileKind } from './save-menu.js';
import { fileName } from './share-link.js';

/** Saves an element's `.stage`, or its numbers, as a file. Resolves to what the reader should know: nothing if it worked. */
export async function saveStage(
  kind: FileKind,
  figure: LitElement,
  title: string,
  data: () => FigureData,
  words: Localised,
): Promise<string> {
  try {
    const { saveFigure } = await import('./save-figure.js');
    const stage = figure.renderRoot.querySelector('.stage')!;
    await saveFigure(kind, stage, data, { name: fileName(figure), title, language: words.language });
    return '';
  } catch {
    return words.text('tools.failed');
  }
}
