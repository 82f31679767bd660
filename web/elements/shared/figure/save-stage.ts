import type { LitElement } from 'lit';
import type { Caption } from '../export/svg.js';
import type { Localised } from '../localised.js';
import type { FigureData } from './figure-data.js';
import type { FileKind } from './tool-menu.js';

/** Saves what an element shows, and resolves to what the reader should know: nothing if it worked. */
export async function saveStage(
  kind: FileKind,
  figure: LitElement,
  caption: Omit<Caption, 'language'>,
  data: () => FigureData,
  words: Localised,
): Promise<string> {
  try {
    const { saveFigure } = await import('./save-figure.js');
    await saveFigure(kind, figure, { ...caption, language: words.language }, data);
    return '';
  } catch {
    return words.text('tools.failed');
  }
}
