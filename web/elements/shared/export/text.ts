import { anchorOf } from './attributes.js';
import { short } from './cells.js';

/** A piece of text on one line, and its box in the window. */
export interface Run {
  readonly text: string;
  readonly box: DOMRect;
}

/** A node's visible text, in lines as the browser has broken it. */
export function runsOf(node: Text, preserveBlanks: boolean): Run[] {
  const runs: { text: string; left: number; right: number; top: number; bottom: number }[] = [];
  const range = document.createRange();
  for (const { text, start } of pieces(node.data, preserveBlanks)) {
    for (const { from, to, box } of lines(node, range, start, text.length)) {
      const last = runs.at(-1);
      const part = node.data.slice(from, to);
      if (last !== undefined && Math.abs(last.top - box.top) < box.height / 2 && box.left >= last.right - 1) {
        // Pieces on one line have spaces between them, parts of one piece do not.
        last.text += from === start && !preserveBlanks ? ` ${part}` : part;
        last.right = box.right;
      } else {
        runs.push({ text: part, left: box.left, right: box.right, top: box.top, bottom: box.bottom });
      }
    }
  }
  return runs.map(({ text, left, right, top, bottom }) => ({
    text,
    box: new DOMRect(left, top, right - left, bottom - top),
  }));
}

function pieces(data: string, preserveBlanks: boolean): { text: string; start: number }[] {
  const pattern = preserveBlanks ? /[^\n]+/g : /\S+/g;
  return [...data.matchAll(pattern)].map((match) => ({ text: match[0], start: match.index }));
}

/** The parts of a piece that are on different lines; nearly always there is one. */
function* lines(
  node: Text,
  range: Range,
  start: number,
  length: number,
): Generator<{ from: number; to: number; box: DOMRect }> {
  const boxOf = (from: number, to: number): DOMRect | undefined => {
    range.setStart(node, from);
    range.setEnd(node, to);
    return [...range.getClientRects()].find(({ width, height }) => width > 0 && height > 0);
  };
  const end = start + length;
  range.setStart(node, start);
  range.setEnd(node, end);
  const tops = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)));
  if (tops.size <= 1) {
    const box = boxOf(start, end);
    if (box !== undefined) yield { from: start, to: end, box };
    return;
  }
  let from = start;
  for (let at = start + 1; at <= end; ++at) {
    const [first, next] = [boxOf(from, from + 1), at < end ? boxOf(at, at + 1) : undefined];
    if (first !== undefined && next !== undefined && Math.abs(next.top - first.top) < first.height / 2) continue;
    if (at < end && next === undefined) continue;
    const box = boxOf(from, at);
    if (box !== undefined) yield { from, to: at, box };
    from = at;
  }
}

let measuring: OffscreenCanvasRenderingContext2D | null | undefined;

/** The distance from the top of a line's box to its baseline, as a fraction of the box's height. */
export function baselineOf(style: CSSStyleDeclaration): number {
  measuring ??= new OffscreenCanvas(1, 1).getContext('2d');
  if (measuring === null) return 0.8;
  measuring.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = measuring.measureText('x');
  return ascent / (ascent + descent);
}

/** The attributes that put a line of text into its box, rotated by `angle` degrees. */
export function placeOfText(
  { x, y, width, height }: DOMRect,
  baseline: number,
  style: CSSStyleDeclaration,
  angle: number,
): Record<string, string> {
  if (angle % 360 === 0) {
    const [anchor, at] = anchorOf(style, x, width);
    return { x: short(at), y: short(y + baseline * height), ...anchor };
  }
  // Rotated text is anchored at its middle. The shorter side of its box is the height of the line.
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  const line = Math.min(width, height);
  return {
    x: short(middleX),
    y: short(middleY + (baseline - 0.5) * line),
    'text-anchor': 'middle',
    transform: `rotate(${short(angle)} ${short(middleX)} ${short(middleY)})`,
  };
}
