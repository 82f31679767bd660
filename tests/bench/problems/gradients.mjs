/** What training computes besides the forward pass: gradients and the loss. */
import { generator, normal, sample } from '../random.mjs';
import { Errors, softmax64 } from './check.mjs';

/**
 * The gradients of query, key and value in one head, in float64, and for each element the sum of its terms' magnitudes.
 */
function gradients64({ gradOutput, query, key, value }, n, d) {
  const made = () => new Float64Array(n * d);
  const [gradients, sizes] = [1, 2].map(() => ({ query: made(), key: made(), value: made() }));
  const add = (name, at, term) => {
    gradients[name][at] += term;
    sizes[name][at] += Math.abs(term);
  };
  const dot = (x, i, y, j) => {
    let sum = 0;
    for (let e = 0; e < d; e++) sum += x[i * d + e] * y[j * d + e];
    return sum;
  };
  const scale = 1 / Math.sqrt(d);
  const each = Array.from({ length: n }, (_, j) => j);
  for (let i = 0; i < n; i++) {
    const weights = softmax64(
      each.map((j) => scale * dot(query, i, key, j)),
      n,
    );
    const reached = each.map((j) => dot(gradOutput, i, value, j));
    const mean = reached.reduce((sum, one, j) => sum + weights[j] * one, 0);
    for (let j = 0; j < n; j++) {
      const score = scale * weights[j] * (reached[j] - mean);
      for (let e = 0; e < d; e++) {
        add('value', j * d + e, weights[j] * gradOutput[i * d + e]);
        add('query', i * d + e, score * key[j * d + e]);
        add('key', j * d + e, score * query[i * d + e]);
      }
    }
  }
  return { gradients, sizes };
}

/** The gradients of attention (1, heads, n, d), given its output's. Recomputing the weights counts as work. */
export function attentionGradients({ heads, n, d }) {
  const names = ['gradOutput', 'query', 'key', 'value'];
  const inputs = Object.fromEntries(names.map((name, i) => [name, normal(heads * n * d, 91 + i)]));
  const expected = sample(heads, 2, 95).map((h) => {
    const of = (name) => inputs[name].subarray(h * n * d, (h + 1) * n * d);
    return { h, ...gradients64(Object.fromEntries(names.map((name) => [name, of(name)])), n, d) };
  });
  return {
    kind: 'attentionGradients',
    params: { heads, n, d },
    inputs,
    flop: 10 * heads * n * n * d,
    check(outputs) {
      const errors = new Errors();
      for (const name of ['query', 'key', 'value']) {
        Errors.length(name, outputs[name], heads * n * d);
        for (const { h, gradients, sizes } of expected) {
          // A score's gradient is the difference of numbers several times as large, each off by a few roundings.
          for (let i = 0; i < n * d; i++)
            errors.compare(outputs[name][h * n * d + i], gradients[name][i], sizes[name][i], 64);
        }
      }
      return errors;
    },
  };
}

/** The mean cross entropy of `rows` rows over `classes` classes, and its gradient. */
export function crossEntropy({ rows, classes }) {
  const logits = normal(rows * classes, 96, 2);
  const draw = generator(97);
  const targets = Int32Array.from({ length: rows }, () => Math.floor(draw() * classes));
  return {
    kind: 'crossEntropy',
    params: { rows, classes },
    inputs: { logits },
    targets,
    items: rows * classes,
    check({ loss, gradLogits }) {
      const errors = new Errors();
      Errors.length('gradLogits', gradLogits, rows * classes);
      let total = 0;
      const checked = new Set(sample(rows, 12, 98));
      for (let i = 0; i < rows; i++) {
        const weights = softmax64(logits.subarray(i * classes, (i + 1) * classes), classes);
        total -= Math.log(weights[targets[i]]);
        if (!checked.has(i)) continue;
        for (let j = 0; j < classes; j++) {
          const expected = (weights[j] - (j === targets[i] ? 1 : 0)) / rows;
          errors.compare(gradLogits[i * classes + j], expected, (weights[j] + (j === targets[i] ? 1 : 0)) / rows, 32);
        }
      }
      errors.compare(loss[0], total / rows, total / rows, 8);
      return errors;
    },
  };
}
