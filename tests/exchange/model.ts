/** The model of exchange.py, built with the library's layers under the same names. */
import type { Tensor, TensorLike } from 'wasm-attention';
import { attention, softmaxCrossEntropy } from '../support/library.js';

export type State = Record<string, Tensor>;
/** Token ids (B, n), the sequences' lengths (B,), and a target for each token. */
export interface Batch {
  readonly ids: TensorLike;
  readonly lengths: TensorLike;
  readonly targets: ArrayLike<number>;
}

/** The entries whose names begin with a prefix and a dot, under the rest of their names. */
export function below<T>(prefix: string, state: Record<string, T>): Record<string, T> {
  const inside = Object.entries(state).filter(([name]) => name.startsWith(`${prefix}.`));
  return Object.fromEntries(inside.map(([name, tensor]) => [name.slice(prefix.length + 1), tensor]));
}

export class Model {
  readonly #layers = {
    embedding: new attention.Embedding({ numEmbeddings: 11, dim: 8, seed: 1 }),
    attention: new attention.MultiHeadAttention({ numHiddens: 8, numHeads: 2, bias: true, seed: 2 }),
    post: new attention.TransformerEncoderLayer({ numHiddens: 8, numHeads: 2, ffnHiddens: 12, seed: 3 }),
    pre: new attention.TransformerEncoderLayer({
      numHiddens: 8,
      numHeads: 2,
      ffnHiddens: 12,
      activation: 'gelu',
      norm: 'pre',
      seed: 4,
    }),
    linear: new attention.Linear({ inFeatures: 8, outFeatures: 5, seed: 5 }),
  };

  constructor(state: State) {
    this.load(state);
  }

  load(state: State): void {
    for (const [prefix, layer] of Object.entries(this.#layers)) layer.loadStateDict(below(prefix, state));
  }

  state(): State {
    return Object.fromEntries(
      Object.entries(this.#layers).flatMap(([prefix, layer]) =>
        Object.entries(layer.stateDict()).map(([name, tensor]) => [`${prefix}.${name}`, tensor]),
      ),
    );
  }

  /** The output of each layer, and a function that goes back from the gradient of the last one. */
  forward({ ids, lengths }: Batch) {
    const { embedding, attention: self, post, pre, linear } = this.#layers;
    const training = { training: true };
    const masked = { ...training, validLens: lengths };
    const embedded = embedding.forward(ids, training);
    const x = embedded.output;
    const attended = self.forward(x, x, x, masked);
    const first = post.forward(attended.output, masked);
    const second = pre.forward(first.output, masked);
    const logits = linear.forward(second.output, training);
    const backward = (gradient: Tensor): void => {
      const middle = second.backward!(logits.backward!(gradient).input).input;
      const { queries, keys, values } = attended.backward!(first.backward!(middle).input);
      const data = queries.data.map((value, i) => value + keys.data[i]! + values.data[i]!);
      embedded.backward!({ data, shape: queries.shape });
    };
    return {
      stages: {
        embedding: x,
        attention: attended.output,
        post: first.output,
        pre: second.output,
        linear: logits.output,
      },
      backward,
    };
  }

  /** Takes the same steps of Adam as `train` in exchange.py, and returns the loss before each. */
  train(batch: Batch, steps: number): number[] {
    const parameters = Object.values(this.#layers).flatMap((layer) => layer.parameters());
    const adam = new attention.Adam(parameters, { lr: 0.03, eps: 0.1 });
    const losses = Array.from({ length: steps }, () => {
      const { stages, backward } = this.forward(batch);
      const { data, shape } = stages.linear;
      const rows = { data, shape: [shape[0]! * shape[1]!, shape[2]!] };
      const { loss, gradLogits } = softmaxCrossEntropy(rows, batch.targets);
      adam.zeroGrad();
      backward({ data: gradLogits.data, shape });
      adam.step();
      return loss;
    });
    adam.dispose();
    return losses;
  }

  dispose(): void {
    for (const layer of Object.values(this.#layers)) layer.dispose();
  }
}
