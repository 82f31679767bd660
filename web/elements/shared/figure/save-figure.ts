import { csvOf } from '../export/csv.js';
import { saveFile } from '../export/file.js';
import { pngOf } from '../export/png.js';
import { pictureOf } from '../export/svg.js';
import type { FigureData } from './figure-data.js';
import type { FileKind } from './save-menu.js';

/** Saves a figure's current state as a file. Rejects if the browser cannot make the file. */
export async function saveFigure(
  kind: FileKind,
  stage: Element,
  data: () => FigureData,
  file: { readonly name: string; readonly title: string; readonly language: string },
): Promise<void> {
  saveFile(`${file.name}.${kind}`, await contentOf(kind, stage, data, file));
}

async function contentOf(
  kind: FileKind,
  stage: Element,
  data: () => FigureData,
  { title, language }: { readonly title: string; readonly language: string },
): Promise<Blob> {
  if (kind === 'csv') return new Blob([csvOf(data())], { type: 'text/csv;charset=utf-8' });
  const picture = pictureOf(stage, title, language);
  if (kind === 'png') return pngOf(picture);
  return new Blob([picture.svg], { type: 'image/svg+xml' });
}
