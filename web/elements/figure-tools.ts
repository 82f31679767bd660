import { html, type TemplateResult } from 'lit';
import type { FigureCode, FigureData, FigureElement } from './figure-element.js';
import type { Localised } from './localised.js';

/** The row of tools below a figure: the same, in the same order, in each. */
export function figureTools(
  _figure: FigureElement,
  _words: Localised,
  _data: () => FigureData,
  _code: () => FigureCode,
): TemplateResult {
  return html``;
}
