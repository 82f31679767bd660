/** A vision transformer of one layer, which counts circles. */
import type {
  Adam,
  LayerNorm,
  LearnedPositionalEncoding,
  Linear,
  Tensor,
  TransformerEncoderLayer,
  WasmAttention,
} from 'wasm-attention';
import { IGNORED, randomNumbers } from '../task.js';
import { circlesIn, GRID, MOST, PATCHES, pixelsOf, SIDE, type Picture } from './pictures.js';

/** The sizes, as `vision_config` of transformers' SiglipConfig has them. */
const SIZES = {
  num_channels: 1,
  image_size: GRID * SIDE,
  patch_size: SIDE,
  hidden_size: 32,
  num_hidden_layers: 1,
  num_attention_heads: 4,
  intermediate_size: 64,
  hidden_act: 'gelu_pytorch_tanh',
  layer_norm_eps: 1e-6,
  vision_use_head: false,
};
const WIDTH = SIZES.hidden_size;
const ANSWERS = MOST + 1;

/** The model's config.json. The answers are numbers of circles. */
export const CONFIG = {
  architectures: ['SiglipForImageClassification'],
  model_type: 'siglip',
  id2label: Object.fromEntries(Array.from({ length: ANSWERS }, (_, circles) => [circles, String(circles)])),
  vision_config: SIZES,
};

/**
 * Patches → linear map → + positions → encoder layer → norm → mean over the patches → linear map: a score for each number
 * of circles.
 */
export class PatchModel {
  readonly #attention: WasmAttention;
  readonly #patches: Linear;
  readonly #positions: LearnedPositionalEncoding;
  readonly #encoder: TransformerEncoderLayer;
  readonly #norm: LayerNorm;
  readonly #head: Linear;
  /** Says in training of each quarter whether it is in a whole circle, so that the patches learn to find each other. */
  readonly #marker: Linear;
  readonly #adam: Adam;

  /** @param positions whether the model knows where its patches are */
  constructor(attention: WasmAttention, positions: boolean, seed: number) {
    const random = randomNumbers(seed);
    const next = () => Math.floor(random() * 2 ** 32);
    this.#attention = attention;
    this.#patches = new attention.Linear({ inFeatures: SIDE * SIDE, outFeatures: WIDTH, seed: next() });
    this.#positions = new attention.LearnedPositionalEncoding({ numHiddens: WIDTH, maxLen: PATCHES });
    // Half of each vector encodes the patch's row, half its column.
    const { data } = attention.sinusoidalEncoding2d({ height: GRID, width: GRID, dim: WIDTH });
    this.#positions.parameters()[0]!.set(positions ? data : data.fill(0));
    this.#encoder = new attention.TransformerEncoderLayer({
      numHiddens: WIDTH,
      numHeads: SIZES.num_attention_heads,
      ffnHiddens: SIZES.intermediate_size,
      activation: 'gelu-tanh',
      norm: 'pre',
      eps: SIZES.layer_norm_eps,
      seed: next(),
    });
    this.#norm = new attention.LayerNorm({ normalizedShape: WIDTH, eps: SIZES.layer_norm_eps });
    this.#head = new attention.Linear({ inFeatures: WIDTH, outFeatures: ANSWERS, seed: next() });
    this.#marker = new attention.Linear({ inFeatures: WIDTH, outFeatures: 2, seed: next() });
    // The positions stay as they are.
    const learning = [this.#patches, this.#encoder, this.#norm, this.#head, this.#marker];
    this.#adam = new attention.Adam(
      learning.flatMap((layer) => layer.parameters()),
      { maxGradNorm: 1 },
    );
  }

  /** Learns from some pictures. Returns the loss of the answers before this step, and the share of right ones. */
  learn(pictures: readonly Picture[], learningRate: number): { loss: number; accuracy: number } {
    const { logits, marks, backward } = this.#forward(pictures, true);
    const targets = pictures.map(countOf);
    const { loss, gradLogits } = this.#attention.softmaxCrossEntropy(logits, targets);
    const marked = this.#attention.softmaxCrossEntropy(marks!, pictures.flatMap(marksOf));
    this.#adam.lr = learningRate;
    this.#adam.zeroGrad();
    backward(gradLogits, marked.gradLogits);
    this.#adam.step();
    return { loss, accuracy: accuracyOf(logits, targets) };
  }

  /** The share of right answers. */
  evaluate(pictures: readonly Picture[]): number {
    return accuracyOf(this.#forward(pictures, false).logits, pictures.map(countOf));
  }

  /** The parameters, named as in transformers' SiglipForImageClassification. */
  state(): Record<string, Tensor> {
    const [encoder, patches] = [this.#encoder.stateDict(), this.#patches.stateDict()];
    const at = 'vision_model.encoder.layers.0';
    const state: Record<string, Tensor> = {
      'vision_model.embeddings.patch_embedding.weight': { ...patches.weight!, shape: [WIDTH, 1, SIDE, SIDE] },
      'vision_model.embeddings.patch_embedding.bias': patches.bias!,
      'vision_model.embeddings.position_embedding.weight': this.#positions.stateDict().weight!,
    };
    for (const kind of ['weight', 'bias']) {
      const { data, shape } = encoder[`self_attn.in_proj_${kind}`]!;
      const part = data.length / 3;
      ['q', 'k', 'v'].forEach((name, i) => {
        const own = { data: data.subarray(i * part, (i + 1) * part), shape: [WIDTH, ...shape.slice(1)] };
        state[`${at}.self_attn.${name}_proj.${kind}`] = own;
      });
      state[`${at}.self_attn.out_proj.${kind}`] = encoder[`self_attn.out_proj.${kind}`]!;
      for (const i of [1, 2]) {
        state[`${at}.layer_norm${i}.${kind}`] = encoder[`norm${i}.${kind}`]!;
        state[`${at}.mlp.fc${i}.${kind}`] = encoder[`linear${i}.${kind}`]!;
      }
      state[`vision_model.post_layernorm.${kind}`] = this.#norm.stateDict()[kind]!;
      state[`classifier.${kind}`] = this.#head.stateDict()[kind]!;
    }
    return state;
  }

  dispose(): void {
    this.#adam.dispose();
    for (const layer of [this.#patches, this.#positions, this.#encoder, this.#norm, this.#head, this.#marker])
      layer.dispose();
  }

  #forward(pictures: readonly Picture[], training: boolean) {
    const count = pictures.length;
    const options = { training };
    const tokens = (data: Float32Array): Tensor => ({ data, shape: [count, PATCHES, WIDTH] });
    const embedded = this.#patches.forward(patchesOf(pictures), options);
    const placed = this.#positions.forward(tokens(embedded.output.data), options);
    const encoded = this.#encoder.forward(placed.output, options);
    const normed = this.#norm.forward(encoded.output, options);
    const scored = this.#head.forward(meanOf(normed.output, count), options);
    const rows = { data: normed.output.data, shape: embedded.output.shape };
    const marked = training ? this.#marker.forward(rows, options) : undefined;
    const backward = (gradLogits: Tensor, gradMarks: Tensor): void => {
      const mean = scored.backward!(gradLogits).input;
      const { data } = marked!.backward!(gradMarks).input;
      const patches = tokens(spread(mean, count).map((x, i) => x + data[i]!));
      const { input } = encoded.backward!(normed.backward!(patches).input);
      embedded.backward!({ data: input.data, shape: embedded.output.shape });
    };
    return { logits: scored.output, marks: marked?.output, backward };
  }
}

/** The right answer. */
const countOf = (picture: Picture) => circlesIn(picture).length;

/** For each patch whether it is in a whole circle (1) or not (0); empty patches have no answer. */
function marksOf(picture: Picture): number[] {
  const whole = new Set(circlesIn(picture).flat());
  return picture.pieces.map((piece, patch) => (piece === 0 ? IGNORED : Number(whole.has(patch))));
}

/** (pictures · PATCHES, SIDE²): the pixels of each patch. */
function patchesOf(pictures: readonly Picture[]): Tensor {
  const size = GRID * SIDE;
  const data = new Float32Array(pictures.length * size * size);
  let to = 0;
  for (const picture of pictures) {
    const pixels = pixelsOf(picture);
    for (let patch = 0; patch < PATCHES; ++patch) {
      const from = Math.floor(patch / GRID) * SIDE * size + (patch % GRID) * SIDE;
      for (let y = 0; y < SIDE; ++y, to += SIDE) data.set(pixels.subarray(from + y * size, from + y * size + SIDE), to);
    }
  }
  return { data, shape: [pictures.length * PATCHES, SIDE * SIDE] };
}

/** (count, WIDTH): the mean over the patches of each picture. */
function meanOf({ data }: Tensor, count: number): Tensor {
  const mean = new Float32Array(count * WIDTH);
  data.forEach((x, i) => (mean[Math.floor(i / (PATCHES * WIDTH)) * WIDTH + (i % WIDTH)]! += x / PATCHES));
  return { data: mean, shape: [count, WIDTH] };
}

/** The gradient of the patches, from that of their mean. */
function spread({ data }: Tensor, count: number): Float32Array {
  return new Float32Array(count * PATCHES * WIDTH).map(
    (_, i) => data[Math.floor(i / (PATCHES * WIDTH)) * WIDTH + (i % WIDTH)]! / PATCHES,
  );
}

/** The share of rows in which the right answer has the highest score. */
function accuracyOf({ data }: Tensor, targets: readonly number[]): number {
  const right = targets.filter((target, row) => {
    const scores = data.subarray(row * ANSWERS, (row + 1) * ANSWERS);
    return scores.every((score) => score <= scores[target]!);
  });
  return right.length / targets.length;
}
