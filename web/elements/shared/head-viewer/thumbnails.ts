import type { Ramp } from '../heat-map/ramps.js';
import type { Heads } from '../heads/heads.js';
import { numbersIn, type Part } from '../heads/part.js';

/** The gap between two thumbnails, in CSS pixels. */
const GAP = 3;

/**
 * Paints a part of the heads on one canvas, one row of thumbnails per layer, and yields after each. A pixel shows the largest
 * of its weights, so that thin lines remain, by its square root, so that small ones are visible.
 */
export function* paintThumbnails(
  canvas: HTMLCanvasElement,
  { tokens, keyTokens, mapOf }: Heads,
  part: Part,
  ramp: Ramp,
  density: number,
): Generator<void> {
  const context = canvas.getContext('2d');
  if (context === null || canvas.width === 0 || canvas.height === 0) return;
  context.clearRect(0, 0, canvas.width, canvas.height);
  const gap = Math.round(GAP * density);
  const edge = (index: number, count: number, length: number): number => Math.round((index / count) * length);
  const colours = new Uint32Array(ramp.buffer, ramp.byteOffset, 256);
  const [layers, heads] = [numbersIn(part.layers), numbersIn(part.heads)];
  const paint = (row: number, column: number): void => {
    const map = mapOf(layers[row]!, heads[column]!);
    const [left, top] = [edge(column, heads.length, canvas.width), edge(row, layers.length, canvas.height)];
    const width = edge(column + 1, heads.length, canvas.width) - left - gap;
    const height = edge(row + 1, layers.length, canvas.height) - top - gap;
    if (width <= 0 || height <= 0) return;
    const image = new ImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const across = spans(width, keyTokens.length);
    const down = spans(height, tokens.length);
    for (let y = 0; y < height; ++y) {
      for (let x = 0; x < width; ++x) {
        let most = 0;
        for (let row = down[y]!; row < Math.max(down[y]! + 1, down[y + 1]!); ++row) {
          const start = row * keyTokens.length;
          for (let column = across[x]!; column < Math.max(across[x]! + 1, across[x + 1]!); ++column)
            most = Math.max(most, map[start + column]!);
        }
        pixels[y * width + x] = colours[Math.round(Math.sqrt(Math.min(1, most)) * 255)]!;
      }
    }
    context.putImageData(image, left, top);
  };
  for (const row of layers.keys()) {
    for (const column of heads.keys()) {
      paint(row, column);
      yield;
    }
  }
}

/** The first cell of each pixel, and the number of cells at the end. */
function spans(pixels: number, cells: number): Int32Array {
  return Int32Array.from({ length: pixels + 1 }, (_, i) => Math.floor((i * cells) / pixels));
}
