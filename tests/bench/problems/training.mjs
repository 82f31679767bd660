import { generator, normal } from '../random.mjs';
import { Errors } from './check.mjs';

const CHECKED_STEPS = 5;
const LEARNING_RATE = 1e-3;

/** Batches of shuffled vocabularies to reverse: the second task of web/training, with a target for every token. */
function batches({ count, batch, n, vocabulary }) {
  const draw = generator(41);
  return Array.from({ length: count }, () => {
    const tokens = new Int32Array(batch * n);
    const targets = new Int32Array(batch * n);
    for (let first = 0; first < tokens.length; first += n) {
      const sequence = tokens.subarray(first, first + n);
      for (let i = 0; i < n; i++) sequence[i] = i % vocabulary;
      for (let i = n - 1; i > 0; i--) {
        const j = Math.floor(draw() * (i + 1));
        [sequence[i], sequence[j]] = [sequence[j], sequence[i]];
      }
      targets.set(sequence.slice().reverse(), first);
    }
    return { tokens, targets };
  });
}

/** The parameters at the start, `{ data, shape }` by name; matrices are (out, in). */
function firstValues({ n, width, hidden, vocabulary }) {
  let seed = 50;
  const random = (shape, scale) => ({ data: normal(shape[0] * (shape[1] ?? 1), seed++, scale), shape });
  const constant = (length, value) => ({ data: new Float32Array(length).fill(value), shape: [length] });
  const linear = (name, outputs, inputs) => ({
    [`${name}.weight`]: random([outputs, inputs], 1 / Math.sqrt(inputs)),
    [`${name}.bias`]: random([outputs], 0.1),
  });
  const norm = (name) => ({ [`${name}.weight`]: constant(width, 1), [`${name}.bias`]: constant(width, 0) });
  return {
    embedding: random([vocabulary, width], 0.3),
    positions: random([n, width], 0.3),
    ...linear('W_q', width, width),
    ...linear('W_k', width, width),
    ...linear('W_v', width, width),
    ...linear('W_o', width, width),
    ...norm('norm1'),
    ...linear('linear1', hidden, width),
    ...linear('linear2', width, hidden),
    ...norm('norm2'),
    ...linear('head', vocabulary, width),
  };
}

/** The loss in float64, in plain loops. */
function loss64({ batch, n, width, heads }, values, { tokens, targets }) {
  const of = (name) => values[name].data;
  const linear = (name, x) => {
    const [weight, bias] = [of(`${name}.weight`), of(`${name}.bias`)];
    return Float64Array.from(bias, (b, out) => {
      let sum = b;
      for (let i = 0; i < x.length; i++) sum += weight[out * x.length + i] * x[i];
      return sum;
    });
  };
  const addAndNorm = (name, x, y) => {
    const sum = x.map((value, i) => value + y[i]);
    const mean = sum.reduce((total, value) => total + value, 0) / width;
    const variance = sum.reduce((total, value) => total + (value - mean) ** 2, 0) / width;
    const [weight, bias] = [of(`${name}.weight`), of(`${name}.bias`)];
    return sum.map((value, i) => ((value - mean) / Math.sqrt(variance + 1e-5)) * weight[i] + bias[i]);
  };
  const logSum = (x) => {
    const largest = Math.max(...x);
    return largest + Math.log(x.reduce((total, value) => total + Math.exp(value - largest), 0));
  };
  const d = width / heads;
  let total = 0;
  for (let first = 0; first < batch * n; first += n) {
    const places = Array.from({ length: n }, (_, i) => i);
    const x = places.map((i) =>
      Float64Array.from(
        { length: width },
        (_, e) => of('embedding')[tokens[first + i] * width + e] + of('positions')[i * width + e],
      ),
    );
    const [q, k, v] = ['W_q', 'W_k', 'W_v'].map((name) => x.map((row) => linear(name, row)));
    for (const i of places) {
      const mixed = new Float64Array(width);
      for (let h = 0; h < heads; h++) {
        const scores = places.map((j) => {
          let sum = 0;
          for (let e = h * d; e < (h + 1) * d; e++) sum += q[i][e] * k[j][e];
          return sum / Math.sqrt(d);
        });
        const normaliser = logSum(scores);
        for (const j of places) {
          const weight = Math.exp(scores[j] - normaliser);
          for (let e = h * d; e < (h + 1) * d; e++) mixed[e] += weight * v[j][e];
        }
      }
      const middle = addAndNorm('norm1', x[i], linear('W_o', mixed));
      const fed = linear(
        'linear2',
        linear('linear1', middle).map((value) => Math.max(0, value)),
      );
      const logits = linear('head', addAndNorm('norm2', middle, fed));
      total += logSum(logits) - logits[targets[first + i]];
    }
  }
  return total / (batch * n);
}

/**
 * One step of web/training's model with learned positions: forward, backward and Adam. Before a contender is timed it
 * takes `checkedSteps` steps and returns their losses. The first is compared with float64. The others are right only if
 * the gradients and the optimizer are; they are compared with the first contender's.
 */
export function training({ batch = 32, n = 32, width = 64, heads = 4, hidden = 128, vocabulary = 32 } = {}) {
  const params = { batch, n, width, heads, hidden, vocabulary };
  const data = batches({ count: 16, ...params });
  const values = firstValues(params);
  const products = 4 * width * width + 2 * width * hidden + width * vocabulary;
  const forward = 2 * batch * n * products + 4 * batch * n * n * width;
  const first = loss64(params, values, data[0]);
  let others;
  return {
    kind: 'training',
    params: { ...params, learningRate: LEARNING_RATE, betas: [0.9, 0.999], eps: 1e-8 },
    inputs: { batches: data },
    parameters: values,
    checkedSteps: CHECKED_STEPS,
    // A backward pass counts as two forward passes; Adam does not count.
    flop: 3 * forward,
    check({ losses }) {
      const errors = new Errors();
      Errors.length('losses', losses, CHECKED_STEPS);
      errors.compare(losses[0], first, first, 64);
      others ??= losses;
      // Adam divides a gradient by its size, so the roundings of small gradients count as much as those of large ones.
      for (let i = 1; i < CHECKED_STEPS; i++) errors.compare(losses[i], others[i], others[i], 1024);
      return errors;
    },
  };
}

/** `run` for a contender whose `step(batch)` returns the loss. */
export function steps({ inputs: { batches: all }, checkedSteps }, step) {
  let next = 0;
  const go = () => step(all[next++ % all.length]);
  const losses = new Float32Array(checkedSteps);
  for (let i = 0; i < checkedSteps; i++) losses[i] = go();
  return () => {
    go();
    return { losses };
  };
}
