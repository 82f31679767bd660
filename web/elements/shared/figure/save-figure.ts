import type { LitElement } from 'lit';
import { csvOf } from '../export/csv.js';
import { saveFile } from '../export/file.js';
import { pngOf } from '../export/png.js';
import { pictureOf, type Caption } from '../export/svg.js';
import type { FigureData } from './figure-data.js';
import type { FileKind } from './tool-menu.js';
import { fileName } from './share-link.js';

/** Saves an element's `.stage`, or its numbers, as a file. Rejects if the browser cannot make the file. */
export async function saveFigure(
  kind: FileKind,
  figure: LitElement,
  caption: Caption,
  data: () => FigureData,
): Promise<void> {
  const stage = figure.renderRoot.querySelector('.stage')!;
  saveFile(`${fileName(figure)}.${kind}`, await contentOf(kind, stage, caption, data));
}

async function contentOf(kind: FileKind, stage: Element, caption: Caption, data: () => FigureData): Promise<Blob> {
  if (kind === 'csv') return new Blob([csvOf(data())], { type: 'text/csv;charset=utf-8' });
  const picture = pictureOf(stage, caption);
  if (kind === 'png') return pngOf(picture);
  return new Blob([picture.svg], { type: 'image/svg+xml' });
}
