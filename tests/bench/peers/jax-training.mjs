/**
 * A training step in jax-js: forward, backward and Adam in one jit-compiled function. Parameters stay on its device.
 */
import { steps } from '../problems/training.mjs';
import { transpose } from './dense.mjs';

export function training({ numpy: np, nn, jit, valueAndGrad, tree }, problem) {
  const { batch, n, width, heads, vocabulary, learningRate, betas, eps } = problem.params;
  const [beta1, beta2] = betas;
  const d = width / heads;
  const rows = batch * n;
  const entries = Object.entries(problem.parameters);
  const make = (value) => Object.fromEntries(entries.map(([name, tensor]) => [name, value(name, tensor)]));
  // Matrices are (in, out), so that the forward product needs no transpose.
  const first = make((name, { data, shape }) =>
    name.endsWith('.weight') && shape.length === 2
      ? np.array(transpose(data, ...shape)).reshape([shape[1], shape[0]])
      : np.array(data).reshape(shape),
  );
  const zeros = () => make((name) => np.zeros(first[name].shape));

  const lossOf = (p, tokens, targets) => {
    const linear = (name, x) => np.matmul(x, p[`${name}.weight`]).add(p[`${name}.bias`]);
    const addAndNorm = (name, x, y) => nn.standardize(x.add(y), -1).mul(p[`${name}.weight`]).add(p[`${name}.bias`]);
    const split = (x) => np.transpose(x.reshape([batch, n, heads, d]), [0, 2, 1, 3]);
    const embedded = np.matmul(nn.oneHot(tokens, vocabulary), p.embedding).reshape([batch, n, width]);
    const x = embedded.add(p.positions).reshape([rows, width]);
    const [q, k, v] = ['W_q', 'W_k', 'W_v'].map((name) => split(linear(name, x.ref)));
    const scores = np.matmul(q.mul(1 / Math.sqrt(d)), np.transpose(k, [0, 1, 3, 2]));
    const mixed = np.matmul(nn.softmax(scores, -1), v);
    const joined = np.transpose(mixed, [0, 2, 1, 3]).reshape([rows, width]);
    const middle = addAndNorm('norm1', x, linear('W_o', joined));
    const fed = linear('linear2', nn.relu(linear('linear1', middle.ref)));
    const logits = linear('head', addAndNorm('norm2', middle, fed));
    return nn
      .logSoftmax(logits, -1)
      .mul(nn.oneHot(targets, vocabulary))
      .sum()
      .mul(-1 / rows);
  };

  const step = jit((p, means, squares, tokens, targets, stepSize, rootCorrection) => {
    const [loss, gradients] = valueAndGrad(lossOf)(tree.ref(p), tokens, targets);
    const next = { p: {}, means: {}, squares: {} };
    for (const [name] of entries) {
      const g = gradients[name];
      const mean = means[name].mul(beta1).add(g.ref.mul(1 - beta1));
      const square = squares[name].mul(beta2).add(g.ref.mul(g).mul(1 - beta2));
      const root = np.sqrt(square.ref).div(rootCorrection.ref).add(eps);
      next.p[name] = p[name].sub(mean.ref.div(root).mul(stepSize.ref));
      next.means[name] = mean;
      next.squares[name] = square;
    }
    stepSize.dispose();
    rootCorrection.dispose();
    return [loss, next.p, next.means, next.squares];
  });

  let state = [first, zeros(), zeros()];
  let count = 0;
  return steps(problem, ({ tokens, targets }) => {
    ++count;
    const ids = [tokens, targets].map((data) => np.array(data, { dtype: np.int32 }));
    const scalars = [learningRate / (1 - beta1 ** count), Math.sqrt(1 - beta2 ** count)].map((x) => np.array(x));
    const [loss, ...next] = step(...state, ...ids, ...scalars);
    state = next;
    return loss.dataSync()[0];
  });
}
