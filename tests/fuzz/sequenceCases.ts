/**
 * Calls of the other functions: tensor, products, activations, the convolution, the recurrence, complexity, the loss.
 */
import type { Tensor } from 'wasm-attention';
import { conv1d } from '../reference/conv1d.js';
import { attentionMultiplyAdds, convolutionMultiplyAdds, recurrenceMultiplyAdds } from '../reference/complexity.js';
import { gelu } from '../reference/gelu.js';
import { matmul } from '../reference/matmul.js';
import { rnn } from '../reference/rnn.js';
import { silu } from '../reference/silu.js';
import { softmaxCrossEntropy } from '../reference/softmaxCrossEntropy.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import type { Case } from './cases.js';
import type { Draw } from './draw.js';
import { attention } from './watched.js';

export const sequenceCases = {
  tensor(draw: Draw): Case {
    const shape = Array.from({ length: draw.integer(1, 4) }, () => draw.axisOrNone());
    const drawn = draw.numbers(shape);
    return {
      args: draw.chance(0.5) ? [draw.form(drawn)] : [drawn.data, shape],
      call: (...given: Parameters<typeof attention.tensor>) => attention.tensor(...given),
      check: (copy: Tensor) => expectClose(copy, drawn, {}),
    };
  },

  matmul(draw: Draw): Case {
    const [rows, depth, cols] = [draw.axisOrNone(), draw.axisOrNone(), draw.axis()];
    const leading = Array.from({ length: draw.integer(0, 2) }, () => draw.integer(1, 3));
    const some = () => leading.slice(draw.integer(0, leading.length)).map((n) => (draw.chance(0.3) ? 1 : n));
    const [a, b] = [draw.numbers([...some(), rows, depth]), draw.numbers([...some(), depth, cols])];
    return {
      args: [draw.form(a), draw.form(b)],
      call: (...given: Parameters<typeof attention.matmul>) => attention.matmul(...given),
      check(product: Tensor) {
        const expected = matmul(a, b);
        // As for conv1d.
        const atol = (4 + 2.5 * Math.sqrt(depth)) * EPS * Math.max(5, maxAbs(expected.data));
        expectClose(product, expected, { atol });
      },
    };
  },

  gelu(draw: Draw): Case {
    const x = draw.numbers(Array.from({ length: draw.integer(1, 3) }, () => draw.axisOrNone()));
    const approximate = draw.maybe(() => draw.pick(['none', 'tanh'] as const));
    return {
      args: [draw.form(x), draw.options({ approximate })],
      call: (...given: Parameters<typeof attention.gelu>) => attention.gelu(...given),
      // As in gelu.test.ts.
      check: (y: Tensor) => expectClose(y, gelu(x, approximate), { atol: 4 * EPS, rtol: 4 * EPS }),
    };
  },

  silu(draw: Draw): Case {
    const x = draw.numbers(Array.from({ length: draw.integer(1, 3) }, () => draw.axisOrNone()));
    return {
      args: [draw.form(x)],
      call: (...given: Parameters<typeof attention.silu>) => attention.silu(...given),
      check: (y: Tensor) => expectClose(y, silu(x), { atol: 1e-37, rtol: 4 * EPS }),
    };
  },

  conv1d(draw: Draw): Case {
    const [groups, width, k] = [draw.integer(1, 3), draw.axis(), draw.integer(1, 5)];
    const outs = groups * draw.axis();
    const [stride, padding, dilation] = [draw.integer(1, 3), draw.integer(0, 4), draw.integer(1, 3)];
    const n = Math.max(1, dilation * (k - 1) + 1 - 2 * padding) + draw.integer(0, 9);
    const x = draw.numbers([draw.axisOrNone(), groups * width, n]);
    const weight = draw.numbers([outs, width, k]);
    const bias = draw.maybe(() => draw.numbers([outs]));
    const options = { stride, padding, dilation, groups };
    return {
      args: [draw.form(x), draw.form(weight), { ...options, ...(bias && { bias: draw.form(bias) }) }],
      call: (...given: Parameters<typeof attention.conv1d>) => attention.conv1d(...given),
      check(y: Tensor) {
        const expected = conv1d(x, weight, { ...options, ...(bias && { bias }) });
        // As in conv1d.test.ts: a sum of width·k products, here of numbers of up to 5.
        const atol = (4 + 2.5 * Math.sqrt(width * k)) * EPS * Math.max(5, maxAbs(expected.data));
        expectClose(y, expected, { atol });
      },
    };
  },

  rnn(draw: Draw): Case {
    const [B, n, ins, D] = [draw.integer(1, 3), draw.axisOrNone(), draw.axis(), draw.axis()];
    const x = draw.numbers([B, n, ins]);
    const weights = {
      weightIh: draw.numbers([D, ins], ins ** -0.5),
      // Small enough that differences between float32 and float64 do not grow from step to step.
      weightHh: draw.numbers([D, D], 0.2 / D),
      ...draw.maybe(() => ({ biasIh: draw.numbers([D]) })),
      ...draw.maybe(() => ({ biasHh: draw.numbers([D]) })),
    };
    const options = {
      ...draw.maybe(() => ({ initialState: draw.numbers([B, D]) })),
      ...draw.maybe(() => ({ nonlinearity: draw.pick(['tanh', 'relu'] as const) })),
    };
    const formed = Object.fromEntries(Object.entries(weights).map(([name, t]) => [name, draw.form(t)]));
    return {
      args: [draw.form(x), formed, options],
      call: (...given: Parameters<typeof attention.rnn>) => attention.rnn(...given),
      check(result: { output: Tensor; finalState: Tensor }) {
        const expected = rnn(x, weights, options);
        const atol = 64 * EPS * Math.max(1, maxAbs(expected.output.data));
        expectClose(result.output, expected.output, { atol });
        if (n > 0) expectClose(result.finalState, expected.finalState, { atol });
      },
    };
  },

  complexity(draw: Draw): Case {
    const architecture = draw.pick(['cnn', 'rnn', 'self-attention'] as const);
    const { n, d, k } = { n: draw.axis(), d: draw.axis(), k: draw.integer(1, 5) };
    return {
      args: [architecture, { n, d, k }],
      call: (...given: Parameters<typeof attention.complexity>) => attention.complexity(...given),
      check({ multiplyAdds }: { multiplyAdds: number }) {
        const counted = {
          cnn: () => convolutionMultiplyAdds(n, d, k),
          rnn: () => recurrenceMultiplyAdds(n, d),
          'self-attention': () => attentionMultiplyAdds(n, d),
        }[architecture]();
        if (multiplyAdds !== counted) throw new Error(`expected ${counted}, got ${multiplyAdds}`);
      },
    };
  },

  softmaxCrossEntropy(draw: Draw): Case {
    const [rows, classes] = [draw.axis(), draw.axis()];
    const logits = draw.numbers([rows, classes]);
    const ignoreIndex = draw.maybe(() => draw.pick([-1, -100, 0]));
    const ignored = ignoreIndex ?? -100;
    const targets = Array.from({ length: rows }, () => (draw.chance(0.2) ? ignored : draw.integer(0, classes - 1)));
    return {
      args: [
        draw.form(logits),
        draw.pick<unknown>([targets, Int32Array.from(targets), Float64Array.from(targets)]),
        draw.options({ ignoreIndex }),
      ],
      call: (...given: Parameters<typeof attention.softmaxCrossEntropy>) => attention.softmaxCrossEntropy(...given),
      check({ loss, gradLogits }: { loss: number; gradLogits: Tensor }) {
        const expected = softmaxCrossEntropy(logits, targets, ignored);
        const counted = Math.max(1, targets.filter((target) => target !== ignored).length);
        expectClose(gradLogits, expected.gradLogits, { atol: ((classes + 8) * EPS) / counted });
        if (Number.isNaN(expected.loss)) {
          if (!Number.isNaN(loss)) throw new Error(`expected the mean of no row, NaN, got ${loss}`);
          return;
        }
        const [one, other] = [loss, expected.loss].map((value) => ({ data: [value], shape: [1] }));
        expectClose(one, other!, { rtol: EPS, atol: 8 * EPS * Math.max(1, maxAbs(logits.data)) });
      },
    };
  },
};
