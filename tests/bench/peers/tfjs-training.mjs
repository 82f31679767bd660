/**
 * A training step in TensorFlow.js. Its wasm backend lacks the gradient of `gather` (UnsortedSegmentSum), so the
 * embedding is a product with one-hot rows. A product of a transposed matrix takes a slow path, so the gradient of a
 * linear map is written with explicit transposes. The heads are one batched product.
 */
import { steps } from '../problems/training.mjs';
import { transpose } from './dense.mjs';

export function training(tf, problem) {
  const { batch, n, width, heads, vocabulary, learningRate, betas, eps } = problem.params;
  const d = width / heads;
  const rows = batch * n;
  const isMatrix = (name) => name.endsWith('.weight') && problem.parameters[name].shape.length === 2;
  // Matrices are (in, out), so that the forward product needs no transpose.
  const variables = Object.fromEntries(
    Object.entries(problem.parameters).map(([name, { data, shape }]) => {
      const value = isMatrix(name)
        ? tf.tensor2d(transpose(data, ...shape), [shape[1], shape[0]])
        : tf.tensor(data, shape);
      return [name, tf.variable(value)];
    }),
  );
  const product = tf.customGrad((x, w, save) => {
    save([x, w]);
    return {
      value: tf.matMul(x, w),
      gradFunc: (dy, [a, b]) => [tf.matMul(dy, tf.transpose(b)), tf.matMul(tf.transpose(a), dy)],
    };
  });
  const linear = (name, x) => tf.add(product(x, variables[`${name}.weight`]), variables[`${name}.bias`]);
  const addAndNorm = (name, x, y) => {
    const sum = tf.add(x, y);
    const centred = tf.sub(sum, tf.mean(sum, -1, true));
    const variance = tf.mean(tf.square(centred), -1, true);
    const normed = tf.mul(centred, tf.rsqrt(tf.add(variance, 1e-5)));
    return tf.add(tf.mul(normed, variables[`${name}.weight`]), variables[`${name}.bias`]);
  };
  const split = (x) =>
    tf.reshape(tf.transpose(tf.reshape(x, [batch, n, heads, d]), [0, 2, 1, 3]), [batch * heads, n, d]);
  const join = (x) => tf.reshape(tf.transpose(tf.reshape(x, [batch, heads, n, d]), [0, 2, 1, 3]), [rows, width]);
  // Asked for floats directly, this backend's oneHot writes the bits of integers.
  const oneHot = (ids) => tf.cast(tf.oneHot(ids, vocabulary), 'float32');
  const scale = tf.scalar(1 / Math.sqrt(d));

  const lossOf = (tokens, targets) => {
    const embedded = product(oneHot(tokens), variables.embedding);
    const x = tf.reshape(tf.add(tf.reshape(embedded, [batch, n, width]), variables.positions), [rows, width]);
    const [q, k, v] = ['W_q', 'W_k', 'W_v'].map((name) => split(linear(name, x)));
    const weights = tf.softmax(tf.matMul(tf.mul(q, scale), k, false, true));
    const middle = addAndNorm('norm1', x, linear('W_o', join(tf.matMul(weights, v))));
    const fed = linear('linear2', tf.relu(linear('linear1', middle)));
    const logits = linear('head', addAndNorm('norm2', middle, fed));
    const wanted = tf.sum(tf.mul(oneHot(targets), logits), -1);
    return tf.mean(tf.sub(tf.log(tf.sum(tf.exp(logits), -1)), wanted));
  };
  const adam = tf.train.adam(learningRate, ...betas, eps);
  const trained = Object.values(variables);
  return steps(problem, ({ tokens, targets }) => {
    const cost = tf.tidy(() =>
      adam.minimize(() => lossOf(tf.tensor1d(tokens, 'int32'), tf.tensor1d(targets, 'int32')), true, trained),
    );
    const [loss] = cost.dataSync();
    cost.dispose();
    return loss;
  });
}
