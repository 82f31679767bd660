/** Calls of the functions that work on distances between positions. */
import type { Tensor } from 'wasm-attention';
import { alibiBias } from '../reference/alibiBias.js';
import { alibiSlopes } from '../reference/alibiSlopes.js';
import { relativeShift } from '../reference/relativeShift.js';
import { relativeShiftBackward } from '../reference/relativeShiftBackward.js';
import { t5RelativeBias } from '../reference/t5RelativeBias.js';
import { t5RelativeBiasBackward } from '../reference/t5RelativeBiasBackward.js';
import { t5RelativeBuckets } from '../reference/t5RelativeBuckets.js';
import { EPS, expectClose } from '../support/close.js';
import type { Case } from './cases.js';
import { defined, type Draw } from './draw.js';
import { attention } from './watched.js';

export const distanceCases = {
  alibiSlopes(draw: Draw): Case {
    const heads = draw.integer(1, 70);
    return {
      args: [heads],
      call: (...given: Parameters<typeof attention.alibiSlopes>) => attention.alibiSlopes(...given),
      check: (slopes: Tensor) =>
        expectClose(slopes, { data: alibiSlopes(heads), shape: [heads] }, { rtol: EPS / 2 + 1e-13 }),
    };
  },

  alibiBias(draw: Draw): Case {
    const options = {
      numHeads: draw.axis(),
      queryLength: draw.axisOrNone(),
      keyLength: draw.maybe(() => draw.axisOrNone()),
      offset: draw.maybe(() => draw.integer(-9, 9)),
      symmetric: draw.maybe(() => draw.chance(0.5)),
      isCausal: draw.maybe(() => draw.chance(0.5)),
    };
    return {
      args: [draw.options(options)],
      call: (...given: Parameters<typeof attention.alibiBias>) => attention.alibiBias(...given),
      // A slope and its product are each rounded once.
      check: (bias: Tensor) => expectClose(bias, alibiBias(defined(options)), { rtol: EPS + 1e-13 }),
    };
  },

  t5RelativeBuckets(draw: Draw): Case {
    const options = buckets(draw);
    return {
      args: [draw.options(options)],
      call: (...given: Parameters<typeof attention.t5RelativeBuckets>) => attention.t5RelativeBuckets(...given),
      check({ data, shape }: Tensor<Int32Array>) {
        const { queryLength, keyLength = queryLength } = options;
        const expected = t5RelativeBuckets(defined(options));
        expectClose({ data, shape }, { data: expected, shape: [queryLength, keyLength] }, {});
      },
    };
  },

  t5RelativeBias(draw: Draw): Case {
    const { numBuckets, ...options } = buckets(draw);
    const table = draw.numbers([numBuckets ?? 32, draw.axis()]);
    return {
      args: [draw.form(table), draw.options(options)],
      call: (...given: Parameters<typeof attention.t5RelativeBias>) => attention.t5RelativeBias(...given),
      check: (bias: Tensor) => expectClose(bias, t5RelativeBias(table, defined(options)), {}),
    };
  },

  t5RelativeBiasBackward(draw: Draw): Case {
    const options = buckets(draw);
    const { queryLength, keyLength = queryLength } = options;
    const gradBias = draw.numbers([draw.axis(), queryLength, keyLength]);
    return {
      args: [draw.form(gradBias), draw.options(options)],
      call: (...given: Parameters<typeof attention.t5RelativeBiasBackward>) =>
        attention.t5RelativeBiasBackward(...given),
      check(table: Tensor) {
        const expected = t5RelativeBiasBackward(gradBias, defined(options));
        // Sums in float64, rounded once at the end: EPS/2. Sums in float32 would fail.
        expectClose(table, expected, { rtol: EPS / 2, atol: 1e-12 });
      },
    };
  },

  relativeShift(draw: Draw): Case {
    const L = draw.axis();
    const shape = [...leading(draw), L, draw.pick([L, 2 * L - 1])];
    const scores = draw.numbers(shape);
    return {
      args: [draw.form(scores)],
      call: (...given: Parameters<typeof attention.relativeShift>) => attention.relativeShift(...given),
      check: (shifted: Tensor) => expectClose(shifted, relativeShift(scores), {}),
    };
  },

  relativeShiftBackward(draw: Draw): Case {
    const L = draw.axis();
    const gradScores = draw.numbers([...leading(draw), L, L]);
    const columns = draw.maybe(() => draw.pick([L, 2 * L - 1]));
    return {
      args: [draw.form(gradScores), draw.options({ columns })],
      call: (...given: Parameters<typeof attention.relativeShiftBackward>) => attention.relativeShiftBackward(...given),
      check: (g: Tensor) => expectClose(g, relativeShiftBackward(gradScores, columns ?? L), {}),
    };
  },
};

const leading = (draw: Draw) => Array.from({ length: draw.integer(0, 2) }, () => draw.axis());

function buckets(draw: Draw) {
  return {
    queryLength: draw.axisOrNone(),
    keyLength: draw.maybe(() => draw.axisOrNone()),
    offset: draw.maybe(() => draw.integer(-200, 200)),
    bidirectional: draw.maybe(() => draw.chance(0.5)),
    numBuckets: draw.maybe(() => draw.integer(4, 40)),
    maxDistance: draw.maybe(() => draw.integer(41, 300)),
  };
}
