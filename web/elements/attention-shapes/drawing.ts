import { nothing, svg, type SVGTemplateResult } from 'lit';
import type { Sizes, Stage } from './pipeline.js';

/** The size of a picture in drawing units. Each block gets a share of it. */
const WIDE = 200;
const HIGH = 96;
const GAP = 6;

/** The blocks of a stage, one row per sequence: whole, striped by head, split by head, or squares of weights. */
export function blocks(stage: Stage, sizes: Sizes, fails: boolean): SVGTemplateResult {
  return picture(content(stage, sizes, fails));
}

/** A stage that is not reached. */
export function noBlocks({ batch }: Sizes): SVGTemplateResult {
  return picture(rowsOf(batch).map(({ y, height }) => block(0, y, WIDE, height, 'ghost')));
}

function picture(content: SVGTemplateResult[]): SVGTemplateResult {
  return svg`<svg class="blocks" viewBox="-2 -2 ${WIDE + 4} ${HIGH + 4}" aria-hidden="true">${content}</svg>`;
}

/** The place of each sequence's block. */
function rowsOf(batch: number): { y: number; height: number }[] {
  const height = Math.min(40, (HIGH - GAP * (batch - 1)) / batch);
  const top = (HIGH - batch * height - GAP * (batch - 1)) / 2;
  return Array.from({ length: batch }, (_, row) => ({ y: top + row * (height + GAP), height }));
}

function content(stage: Stage, sizes: Sizes, fails: boolean): SVGTemplateResult[] {
  return rowsOf(sizes.batch).flatMap(({ y, height }) => {
    if (stage === 'input' || stage === 'output') {
      return [block(0, y, WIDE, height, 'whole'), ...lines(y, height, sizes)];
    }
    if (stage !== 'projected') return split(y, height, stage, sizes);
    return fails ? unevenHeads(y, height, sizes) : striped(y, height, sizes.heads);
  });
}

/** The tokens as rows of a block. */
function lines(y: number, height: number, { tokens }: Sizes): SVGTemplateResult[] {
  return Array.from({ length: tokens - 1 }, (_, t) => {
    const at = y + ((t + 1) * height) / tokens;
    return svg`<line class="token" x1="0" x2=${WIDE} y1=${at} y2=${at} />`;
  });
}

/** The columns of each head, still side by side. */
function striped(y: number, height: number, heads: number): SVGTemplateResult[] {
  const width = WIDE / heads;
  return Array.from({ length: heads }, (_, h) => block(h * width, y, width, height, shade(h), h));
}

/** As many whole heads as fit, and the rest. */
function unevenHeads(y: number, height: number, { width, heads }: Sizes): SVGTemplateResult[] {
  const unit = WIDE / width;
  const whole = Math.floor(width / heads);
  const parts = Array.from({ length: heads }, (_, h) => block(h * whole * unit, y, whole * unit, height, shade(h), h));
  return [...parts, block(whole * heads * unit, y, (width % heads) * unit, height, 'rest')];
}

/** One separate block per head; squares for the weights. */
function split(y: number, height: number, stage: Stage, { heads }: Sizes): SVGTemplateResult[] {
  const slot = (WIDE + GAP) / heads;
  const gap = Math.min(GAP, slot / 3);
  return Array.from({ length: heads }, (_, h) => {
    const width = slot - gap;
    if (stage !== 'weights') return block(h * slot, y, width, height, shade(h), h);
    const side = Math.min(width, height);
    return block(h * slot + (width - side) / 2, y + (height - side) / 2, side, side, shade(h), h);
  });
}

/** With `head`, the part of a tensor that belongs to it. */
function block(
  x: number,
  y: number,
  width: number,
  height: number,
  className: string,
  head?: number,
): SVGTemplateResult {
  return svg`<rect class=${className} data-head=${head ?? nothing} x=${x} y=${y} width=${width} height=${height} />`;
}

/** Neighbouring heads differ in colour. */
function shade(head: number): string {
  return head % 2 === 0 ? 'head even' : 'head odd';
}
