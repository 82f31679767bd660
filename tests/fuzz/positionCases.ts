/** Calls of the functions that work on positions. */
import type { Tensor } from 'wasm-attention';
import { encodingRotation } from '../reference/encodingRotation.js';
import { rotaryEmbedding } from '../reference/rotaryEmbedding.js';
import { sinusoidalEncoding } from '../reference/sinusoidalEncoding.js';
import { sinusoidalEncoding2d } from '../reference/sinusoidalEncoding2d.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import type { Case } from './cases.js';
import { defined, type Draw } from './draw.js';
import { attention } from './watched.js';

/** Half an ulp of float32 below 1 is EPS/4; the float64 angle is off by up to 1e-8 at positions up to 2^24. */
const EXACT = { atol: EPS / 4 + 1e-8 };
const BASES = [2, 100, 10000, 500000] as const;

/** An offset, sometimes a large one. */
const anOffset = (draw: Draw) => draw.pick([1, 17, 65_530, 2 ** 24 - 20]);

export const positionCases = {
  sinusoidalEncoding(draw: Draw): Case {
    const length = draw.axisOrNone();
    const positions = draw.maybe(() => draw.integers([length], 0, 2 ** 24).data, 0.3);
    const options = {
      length,
      dim: draw.axis(),
      base: draw.maybe(() => draw.pick(BASES)),
      offset: positions ? undefined : draw.maybe(() => anOffset(draw)),
      positions,
      layout: draw.maybe(() => draw.pick(['interleaved', 'concatenated'] as const)),
    };
    return {
      args: [draw.options(options)],
      call: (...given: Parameters<typeof attention.sinusoidalEncoding>) => attention.sinusoidalEncoding(...given),
      check: (P: Tensor) => expectClose(P, sinusoidalEncoding(defined(options)), EXACT),
    };
  },

  sinusoidalEncoding2d(draw: Draw): Case {
    const base = draw.maybe(() => draw.pick(BASES));
    const options = { height: draw.axisOrNone(), width: draw.axis(), dim: 4 * draw.integer(1, 4), base };
    return {
      args: [draw.options(options)],
      names: ['sinusoidalEncoding'],
      call: (...given: Parameters<typeof attention.sinusoidalEncoding2d>) => attention.sinusoidalEncoding2d(...given),
      check: (P: Tensor) => expectClose(P, sinusoidalEncoding2d(defined(options)), EXACT),
    };
  },

  encodingRotation(draw: Draw): Case {
    const delta = draw.integer(-100, 100) * draw.pick([1, 1000]);
    const options = { delta, dim: 2 * draw.axis(), base: draw.maybe(() => draw.pick(BASES)) };
    return {
      args: [draw.options(options)],
      call: (...given: Parameters<typeof attention.encodingRotation>) => attention.encodingRotation(...given),
      check: (M: Tensor) => expectClose(M, encodingRotation(defined(options)), EXACT),
    };
  },

  rotaryEmbedding: (draw: Draw): Case => rotary(draw, (x, options) => attention.rotaryEmbedding(x, options), 1),
  rotaryEmbeddingBackward: (draw: Draw): Case =>
    rotary(draw, (g, options) => attention.rotaryEmbeddingBackward(g, options), -1),
};

function rotary(draw: Draw, call: typeof attention.rotaryEmbedding, direction: 1 | -1): Case {
  const rotaryDim = 2 * draw.axis();
  const [B, n, d] = [draw.integer(1, 3), draw.axis(), rotaryDim + draw.integer(0, 5)];
  const rank = draw.integer(2, 4);
  const x = draw.numbers(rank === 2 ? [n, d] : rank === 3 ? [B, n, d] : [B, draw.integer(1, 3), n, d]);
  const tables = draw.chance(0.3);
  const sections = tables ? undefined : draw.maybe(() => sectionsOf(draw, rotaryDim / 2), 0.3);
  const positions = draw.maybe(() =>
    draw.integers(
      [...(sections ? [sections.length] : []), ...(rank > 2 && draw.chance(0.5) ? [B, n] : [n])],
      0,
      tables ? 29 : 2 ** 24,
    ),
  );
  const cos = tables ? draw.numbers([60, rotaryDim / 2]) : undefined;
  const options = {
    base: tables ? undefined : draw.maybe(() => draw.pick(BASES)),
    offset: positions ? undefined : draw.maybe(() => (tables ? draw.integer(0, 20) : anOffset(draw))),
    positions,
    interleaved: draw.maybe(() => draw.chance(0.5)),
    rotaryDim: rotaryDim === d ? draw.maybe(() => rotaryDim) : rotaryDim,
    cos,
    sin: cos && draw.numbers(cos.shape),
    sections,
  };
  return {
    args: [draw.form(x), draw.options(options)],
    call,
    check(y: Tensor) {
      const expected = rotaryEmbedding(x, defined(options), direction);
      // Two products and their sum are each rounded once; tables may be larger than 1, and products may be subnormal.
      const size = maxAbs(x.data) * (1 + maxAbs(options.cos?.data ?? []) + maxAbs(options.sin?.data ?? []));
      expectClose(y, expected, { atol: (3 * EPS + 2e-8) * size + 2 ** -126 });
    },
  };
}

/** Up to four parts of so many pairs. */
function sectionsOf(draw: Draw, pairs: number): number[] {
  const sections: number[] = [];
  for (let left = pairs; left > 0; left -= sections.at(-1)!) {
    sections.push(sections.length === 3 ? left : draw.integer(1, left));
  }
  return sections;
}
