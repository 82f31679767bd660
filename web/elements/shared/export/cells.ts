import type { Painting } from '../heat-map/paint-cells.js';
import { rampIndex, type Ramp } from '../heat-map/ramps.js';
import { mergedBlocks, type Block } from './blocks.js';
import { hex } from './colour.js';

export const SVG = 'http://www.w3.org/2000/svg';

/** A painted canvas as an SVG element in which a cell is one unit wide and high. The caller sets its place and size. */
export function cellsSvg(painting: Painting, brightness = 1): SVGSVGElement {
  const { ramp } = painting;
  const colour = (index: number): string =>
    hex(...Array.from(ramp.subarray(4 * index, 4 * index + 3), (channel) => channel * brightness));
  const [width, height] = painting.kind === 'cells' ? [painting.columns, painting.rows] : [ramp.length / 4, 1];
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  svg.setAttribute('preserveAspectRatio', 'none');
  // Neighbouring cells share edges, where smoothing would show the paper.
  svg.setAttribute('shape-rendering', 'crispEdges');
  const [gapX, gapY] = painting.kind === 'cells' ? painting.gap : [0, 0];
  for (const block of blocksOf(painting)) {
    const left = block.x > 0 ? gapX / 2 : 0;
    const top = block.y > 0 ? gapY / 2 : 0;
    const right = block.x + block.width < width ? gapX / 2 : 0;
    const bottom = block.y + block.height < height ? gapY / 2 : 0;
    const rect = document.createElementNS(SVG, 'rect');
    rect.setAttribute('x', short(block.x + left));
    rect.setAttribute('y', short(block.y + top));
    rect.setAttribute('width', short(block.width - left - right));
    rect.setAttribute('height', short(block.height - top - bottom));
    rect.setAttribute('fill', colour(block.index));
    svg.append(rect);
  }
  return svg;
}

/** The blocks of a painting; equal neighbours are one block unless there is a gap between cells. */
export function blocksOf(painting: Painting): Block[] {
  if (painting.kind === 'ramp') return rampBlocks(painting.ramp);
  const { values, rows, columns, low, high, gap } = painting;
  const indices = Array.from({ length: rows * columns }, (_, i) => {
    const value = values[i] ?? NaN;
    return value > -Infinity ? rampIndex(value, low, high) : -1;
  });
  if (gap[0] > 0) {
    return indices
      .map((index, i) => ({ x: i % columns, y: Math.floor(i / columns), width: 1, height: 1, index }))
      .filter(({ index }) => index >= 0);
  }
  return mergedBlocks(indices, rows, columns);
}

function rampBlocks(ramp: Ramp): Block[] {
  return Array.from({ length: ramp.length / 4 }, (_, index) => ({
    x: index,
    y: 0,
    width: 1,
    height: 1,
    index,
  }));
}

/** A length with as many decimals as are visible. */
export function short(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}
