import type { Element, Root } from 'hast';
import type { TemplateResult } from 'lit';
import { baseStyles, columnTicks, rampIn, rampIndex, rowTicks, seriesStyles } from '../../elements/drawing.js';
import { linesLabel, linesPlot, linesStyles } from '../cells/lines-plot.js';
import type { CellOutput } from '../cells/messages.js';
import { packOutputs } from '../cells/printed-outputs.js';
import { rangeOf } from '../cells/range.js';
import type { SpokenWords } from '../cells/words.js';
import { escape } from './escape.js';
import { element, text, textOf, visit } from './hast.js';
import { runCell } from './runCell.js';

/** What printing the output of code cells needs. */
export interface Printing {
  /** The texts in the page's language. */
  readonly words: SpokenWords;
  /** Stores a picture as a file and returns its URL; without it, pictures are data URLs. */
  readonly keepPicture?: KeepPicture | undefined;
}

export type KeepPicture = (svg: string) => string;

type Map = Extract<CellOutput, { type: 'heatmap' }>;

/** The width of pictures in CSS pixels: between a phone, where they shrink, and a column of text. */
const WIDTH = 480;
/** Space for the numbers beside a map's rows and below its columns. */
const TICKS = { left: 40, below: 22 };
/** The number of colours in a map: enough for the eye, few enough for a small page. */
const COLOURS = 16;

/**
 * Runs each code cell and puts its output below its JavaScript: text as it is, matrices as pictures. The cell's
 * element, once loaded, shows the same from the attribute `data-outputs`, with heat maps and curves as after a run.
 */
export async function printOutputs(tree: Root, { words, keepPicture }: Printing): Promise<void> {
  const cells: Element[] = [];
  visit(tree, (node) => {
    if (node.tagName === 'code-cell') cells.push(node);
  });
  for (const { children } of cells) {
    const printed = await runCell(children.slice(0, 1).map(textOf).join('').replace(/\n$/, ''));
    if (printed.length === 0) continue;
    const below = element('div', { className: ['printed'], dataOutputs: packOutputs(printed) }, [
      element('p', {}, [text(words.text('cell.printed'))]),
      ...printed.map((output) => itemOf(output, words, keepPicture)),
    ]);
    children.splice(1, 0, below);
  }
}

function itemOf(output: CellOutput, words: SpokenWords, keep?: KeepPicture): Element {
  switch (output.type) {
    case 'text':
    case 'log':
      return element('pre', { className: [output.type] }, [text(output.text)]);
    case 'lines': {
      const inner = markupOf(linesPlot(output, WIDTH, words));
      const height = Number(/height="([\d.]+)"/.exec(inner)?.[1]);
      return picture('lines', inner, [WIDTH, height], linesLabel(output, words), keep);
    }
    case 'heatmap':
      return heatMap(output, words, keep);
  }
}

function heatMap(map: Map, words: SpokenWords, keep?: KeepPicture): Element {
  const { values, rows, columns } = map;
  const [low, high] = rangeOf(values);
  // The sizes of cell-output.ts.
  const side = Math.max(2, Math.min(28, (WIDTH - TICKS.left) / columns, 480 / rows));
  const [width, height] = [Math.max(250, side * columns), Math.max(250, side * columns) * (rows / columns)];
  const axis = { origin: 0, bare: false };
  const inner =
    `<svg width="${TICKS.left}" height="${height}">${markupOf(rowTicks({ count: rows, ...axis }))}</svg>` +
    `<svg x="${TICKS.left}" y="${height}" width="${width}" height="${TICKS.below}">` +
    `${markupOf(columnTicks({ count: columns, ...axis }))}</svg>` +
    `<svg x="${TICKS.left}" width="${width}" height="${height}" viewBox="0 0 ${columns} ${rows}" ` +
    `preserveAspectRatio="none" shape-rendering="crispEdges"><g transform="translate(0 0.5)">${pathsOf(map, low, high)}</g></svg>`;
  const label = words.text('cell.map', { rows: words.number(rows), columns: words.number(columns) });
  return picture('heatmap', inner, [width + TICKS.left, height + TICKS.below], label, keep);
}

/** One path per colour, along the middles of the rows. */
function pathsOf({ values, rows, columns }: Map, low: number, high: number): string {
  const paths = new globalThis.Map<number, string>();
  const levelAt = (i: number): number =>
    Number.isNaN(values[i]) ? -1 : Math.round((rampIndex(values[i]!, low, high) / 255) * (COLOURS - 1));
  for (let i = 0; i < rows * columns;) {
    const [from, level] = [i, levelAt(i)];
    while (i < rows * columns && levelAt(i) === level && i - from < columns - (from % columns)) ++i;
    const run = `M${from % columns} ${Math.floor(from / columns)}h${i - from}`;
    if (level >= 0) paths.set(level, (paths.get(level) ?? '') + run);
  }
  const colour = (scheme: 'light' | 'dark', level: number): string => {
    const at = 4 * Math.round((level / (COLOURS - 1)) * 255);
    return `rgb(${rampIn(scheme, low)
      .subarray(at, at + 3)
      .join(' ')})`;
  };
  return [...paths]
    .map(([level, d]) => `<path stroke="light-dark(${colour('light', level)},${colour('dark', level)})" d="${d}"/>`)
    .join('');
}

/** A drawing as an image: the page's policy forbids inline styles. */
function picture(
  type: CellOutput['type'],
  inner: string,
  [width, height]: [width: number, height: number],
  alt: string,
  keep: KeepPicture = asData,
): Element {
  const styles = [baseStyles, seriesStyles, linesStyles].map(({ cssText }) => cssText).join('');
  const css = `svg{color-scheme:light dark}${styles}`.replaceAll(':host', ':root').replace(/\/\*.*?\*\/|\s+/gs, ' ');
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
    `<style>${css}</style>${inner}</svg>`;
  const properties = { className: [type], src: keep(svg), width: Math.round(width), height: Math.round(height), alt };
  // Data URLs cannot be lazy, and Vite would look for a file before it is written.
  const file = keep === asData ? {} : { loading: 'lazy', 'vite-ignore': true };
  return element('img', { ...properties, ...file });
}

function asData(svg: string): string {
  return `data:image/svg+xml,${encodeURI(svg.replaceAll('"', "'")).replaceAll('%20', ' ').replaceAll('#', '%23')}`;
}

/** A template without listeners as text. */
function markupOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(markupOf).join('');
  if (typeof value !== 'object' || value === null) return escape(String(value));
  const { strings, values } = value as TemplateResult;
  return strings
    .map((part, i) => {
      if (i === values.length) return part;
      const inner = markupOf(values[i]);
      return part.endsWith('=') ? `${part}"${inner}"` : part + inner;
    })
    .join('');
}
