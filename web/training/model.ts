/** The model: one encoder layer between an embedding and a linear map. */
import type { Adam, Embedding, Layer, Linear, Tensor, TransformerEncoderLayer, WasmAttention } from 'wasm-attention';
import { makeSmall, positionScheme, type PositionScheme } from './positions.js';
import type { TrainingSettings } from './settings.js';
import { randomNumbers, type Batch } from './task.js';

/**
 * Embedding → positions → encoder layer → linear map: a score for each token of the vocabulary, at each place.
 *
 * In training, each layer's forward pass returns `backward` together with its output. The model's backward pass calls
 * these in reverse order and passes each one's result to the next. The gradients of the parameters add up in the
 * layers.
 *
 * In training all layers write their results into the same array (`out`), because each layer copies its input. Fresh
 * arrays would also work, but allocating them at every step would take a fifteenth of the time.
 */
export class Model {
  readonly #attention: WasmAttention;
  readonly #settings: TrainingSettings;
  readonly #embedding: Embedding;
  readonly #positions: PositionScheme;
  readonly #encoder: TransformerEncoderLayer;
  readonly #head: Linear;
  readonly #adam: Adam;
  #arrays: Arrays | undefined;

  constructor(attention: WasmAttention, settings: TrainingSettings) {
    const { numHiddens, numHeads, ffnHiddens, vocabulary, learningRate: lr } = settings;
    const random = randomNumbers(settings.seed);
    // Each layer has its own seed, because tables of equal size would otherwise begin with equal values.
    const nextSeed = () => Math.floor(random() * 2 ** 32);
    this.#attention = attention;
    this.#settings = settings;
    this.#embedding = new attention.Embedding({
      numEmbeddings: vocabulary,
      dim: numHiddens,
      seed: nextSeed(),
    });
    makeSmall(this.#embedding);
    const encoderSeed = nextSeed();
    this.#head = new attention.Linear({ inFeatures: numHiddens, outFeatures: vocabulary, seed: nextSeed() });
    // The last to draw a seed, so that all other layers begin with the same values for any kind of positions.
    this.#positions = positionScheme(attention, settings, nextSeed);
    const { rotary } = this.#positions;
    this.#encoder = new attention.TransformerEncoderLayer({
      numHiddens,
      numHeads,
      ffnHiddens,
      seed: encoderSeed,
      ...(rotary && { rotary }),
    });
    this.#adam = new attention.Adam(
      this.#layers().flatMap((layer) => layer.parameters()),
      { lr },
    );
  }

  /** The number of trainable numbers. */
  get parameterCount(): number {
    const sizes = this.#layers().flatMap((layer) => layer.parameters().map(({ data }) => data.length));
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  /** The length of the longest sequence for which there are positions. */
  get longest(): number {
    return this.#positions.longest ?? Infinity;
  }

  /** The scores (count · length, vocabulary), also for sequences that are longer than in training, up to `longest`. */
  forward(batch: Pick<Batch, 'count' | 'tokens'>): Tensor {
    return this.#forward(batch).logits;
  }

  /**
   * Learns from one batch. Returns the loss before this step (the mean cross-entropy, in nats) and the scores, which
   * the next batch overwrites.
   */
  learn({ count, tokens, targets }: Batch): { loss: number; logits: Tensor } {
    if (this.#arrays?.tokens !== tokens.length) this.#arrays = makeArrays(tokens.length, this.#settings);
    const arrays = this.#arrays;
    const { logits, backward } = this.#forward({ count, tokens }, arrays);
    const { loss, gradLogits } = this.#attention.softmaxCrossEntropy(logits, targets, {
      out: { gradLogits: arrays.gradLogits },
    });
    this.#adam.zeroGrad();
    backward(gradLogits);
    this.#adam.step();
    return { loss, logits };
  }

  /** (H, n, n): attention's weights for one sequence. */
  weights(sequence: Int32Array): Tensor {
    const { weights } = this.#forward({ count: 1, tokens: sequence }, undefined, true);
    const { data, shape } = weights!;
    return { data, shape: shape.slice(1) };
  }

  dispose(): void {
    this.#adam.dispose();
    for (const layer of this.#layers()) layer.dispose();
  }

  #layers(): Pick<Layer, 'parameters' | 'dispose'>[] {
    return [this.#embedding, ...this.#positions.layers, this.#encoder, this.#head];
  }

  /** With `arrays` in training. */
  #forward({ count, tokens }: Pick<Batch, 'count' | 'tokens'>, arrays?: Arrays, needWeights = false) {
    const { numHiddens, causal } = this.#settings;
    const { added, inAttention } = this.#positions;
    const length = tokens.length / count;
    const training = arrays !== undefined;
    const options = arrays ? { training, out: { output: arrays.hidden } } : {};
    const embedded = this.#embedding.forward({ data: tokens, shape: [count, length] }, options);
    const placed = added?.forward(embedded.output, options);
    const attentionPositions = inAttention?.(training, length);
    const encoded = this.#encoder.forward((placed ?? embedded).output, {
      ...attentionPositions?.options,
      ...options,
      isCausal: causal,
      needWeights,
    });
    const flat = { data: encoded.output.data, shape: [count * length, numHiddens] };
    const headOptions = arrays ? { training, out: { output: arrays.logits } } : {};
    const { output: logits, backward: headBackward } = this.#head.forward(flat, headOptions);
    const backward = (gradLogits: Tensor): void => {
      const back = { out: { input: arrays!.hidden } };
      const { data } = headBackward!(gradLogits, back).input;
      const { input, ...gradients } = encoded.backward!({ data, shape: encoded.output.shape }, back);
      attentionPositions?.backward?.(gradients);
      embedded.backward!(placed ? placed.backward!(input, back).input : input);
    };
    return { logits, backward, weights: encoded.weights };
  }
}

/** The arrays for the results of a training step. */
interface Arrays {
  /** The tokens that fit into them. */
  readonly tokens: number;
  /** (tokens, D): in the forward pass a layer's output, in the backward pass its gradient. */
  readonly hidden: Float32Array;
  /** (tokens, vocabulary) */
  readonly logits: Float32Array;
  readonly gradLogits: Float32Array;
}

function makeArrays(tokens: number, { numHiddens, vocabulary }: TrainingSettings): Arrays {
  const make = (width: number) => new Float32Array(tokens * width);
  return { tokens, hidden: make(numHiddens), logits: make(vocabulary), gradLogits: make(vocabulary) };
}

/** The index of the highest score in each row of (rows, vocabulary): the model's answers. */
export function highest({ data, shape }: Tensor): Int32Array {
  const [rows, columns] = shape as [number, number];
  return Int32Array.from({ length: rows }, (_, row) => {
    const first = row * columns;
    let best = 0;
    for (let j = 1; j < columns; ++j) if (data[first + j]! > data[first + best]!) best = j;
    return best;
  });
}
