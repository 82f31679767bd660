/** A training step with this library's layers, as web/training does it, starting from given parameters. */
import { steps } from '../problems/training.mjs';

export function training({ wasm }, problem) {
  const { batch, n, width, heads, hidden, vocabulary, learningRate: lr, betas, eps } = problem.params;
  const embedding = new wasm.Embedding({ numEmbeddings: vocabulary, dim: width });
  const positions = new wasm.LearnedPositionalEncoding({ numHiddens: width, maxLen: n });
  const encoder = new wasm.TransformerEncoderLayer({
    numHiddens: width,
    numHeads: heads,
    ffnHiddens: hidden,
  });
  const head = new wasm.Linear({ inFeatures: width, outFeatures: vocabulary });
  const values = problem.parameters;
  // Under PyTorch's names the three input projections are one matrix, one above the other.
  const joined = (part) => {
    const data = ['W_q', 'W_k', 'W_v'].flatMap((name) => [...values[`${name}.${part}`].data]);
    return { data, shape: part === 'weight' ? [3 * width, width] : [3 * width] };
  };
  const named = (as, name) => ({ [`${as}weight`]: values[`${name}.weight`], [`${as}bias`]: values[`${name}.bias`] });
  embedding.loadStateDict({ weight: values.embedding });
  positions.loadStateDict({ weight: values.positions });
  head.loadStateDict(named('', 'head'));
  encoder.loadStateDict({
    'self_attn.in_proj_weight': joined('weight'),
    'self_attn.in_proj_bias': joined('bias'),
    ...named('self_attn.out_proj.', 'W_o'),
    ...Object.assign({}, ...['linear1', 'linear2', 'norm1', 'norm2'].map((name) => named(`${name}.`, name))),
  });
  const layers = [embedding, positions, encoder, head];
  const adam = new wasm.Adam(
    layers.flatMap((layer) => layer.parameters()),
    { lr, betas, eps },
  );

  // As in web/training, one array holds whatever passes from layer to layer.
  const [passed, scores, gradScores] = [width, vocabulary, vocabulary].map((w) => new Float32Array(batch * n * w));
  const training = { training: true, out: { output: passed } };
  const back = { out: { input: passed } };
  const run = steps(problem, ({ tokens, targets }) => {
    const embedded = embedding.forward({ data: tokens, shape: [batch, n] }, training);
    const placed = positions.forward(embedded.output, training);
    const encoded = encoder.forward(placed.output, training);
    const flat = { data: encoded.output.data, shape: [batch * n, width] };
    const scored = head.forward(flat, { training: true, out: { output: scores } });
    const { loss, gradLogits } = wasm.softmaxCrossEntropy(scored.output, targets, {
      out: { gradLogits: gradScores },
    });
    adam.zeroGrad();
    const { data } = scored.backward(gradLogits, back).input;
    const gradPlaced = encoded.backward({ data, shape: encoded.output.shape }, back).input;
    embedded.backward(placed.backward(gradPlaced, back).input);
    adam.step();
    return loss;
  });
  return { run, dispose: () => [adam, ...layers].forEach((one) => one.dispose()) };
}
