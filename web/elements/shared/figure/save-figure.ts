import type { LitElement } from 'lit';
import { csvOf } from '../export/csv.js';
import { saveFile } from '../export/file.js';
import { pngOf } from '../export/png.js';
import { pictureOf } from '../export/svg.js';
import type { FigureData } from './figure-data.js';
import type { FileKind } from './tool-menu.js';
import { fileName } from './share-link.js';

/** Saves an element's `.stage`, or its numbers, as a file. Rejects if the browser cannot make the file. */
export async function saveFigure(
  kind: FileKind,
  figure: LitElement,
  title: string,
  data: () => FigureData,
  language: string,
): Promise<void> {
  const stage = figure.renderRoot.querySelector('.stage')!;
  saveFile(`${fileName(figure)}.${kind}`, await contentOf(kind, stage, data, { title, language }));
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
