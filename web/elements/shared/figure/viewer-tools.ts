import { html, type LitElement, type TemplateResult } from 'lit';
import type { Localised } from '../localised.js';
import type { FigureData } from './figure-data.js';
import { saveStage } from './save-stage.js';
import { playTool, saveTools, toolMenu, type FileKind, type Tool } from './tool-menu.js';

/** What the tools need of a viewer. */
export interface ViewerSources {
  /** What the viewer shows, in words. */
  readonly caption: string;
  readonly data: () => FigureData;
  /** The tool that opens the table. */
  readonly table: Tool;
  /** Receives what the reader should know about a file; nothing if it was saved. */
  readonly note: (text: string) => void;
}

/** The tools below a viewer of arrays: files, the sound of rows, and the table of values. */
export function viewerTools(
  viewer: LitElement,
  words: Localised,
  { caption, data, table, note }: ViewerSources,
): TemplateResult {
  const label = viewer.getAttribute('aria-label');
  const save = async (kind: FileKind): Promise<void> =>
    note(await saveStage(kind, viewer, { title: label ?? caption, description: caption }, data, words));
  return html`<div class="tools">
    ${toolMenu(words, [...saveTools((kind) => void save(kind)), playTool, table], label ?? viewer.localName)}
  </div>`;
}
