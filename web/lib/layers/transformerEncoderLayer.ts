/// <reference lib="esnext.disposable" preserve="true" />
import { checkOut, toTensorOfShape } from '../check/arrays.js';
import { checkOptions, type Known } from '../check/options.js';
import { checkBoolean, checkInteger, checkProbability, wrongValue } from '../check/values.js';
import { checkAskedResults, checkAttentionOptions } from '../ops/attention/options.js';
import { ROTARY_OPTIONS, type RotaryOptions } from '../ops/rotary/options.js';
import type { Wasm } from '../runtime/wasm.js';
import type { AttentionOptions, Tensor, TensorLike } from '../types.js';
import { ownTensors } from './attention/ownTensors.js';
import {
  checkPosition,
  rotaryPositions,
  withoutRotary,
  type RotaryPositioning,
} from './attention/rotaryPositions.js';
import {
  LAYER_FORWARD_OPTIONS,
  OPTION_TENSORS,
  type LayerForwardOptions,
  type MultiHeadAttentionGradients,
  type MultiHeadAttentionResult,
} from './attention/types.js';
import { Activations } from './base/activations.js';
import { checkInto, checkTraining, ParameterOwner, runOnce } from './base/layer.js';
import { Parameters } from './base/parameters.js';
import { seedOf } from './base/random.js';
import type { BackwardOptions, Layer } from './base/types.js';
import { encoderSpecs } from './encoder/parameters.js';
import { encoderBackward, encoderForward, type Encoder } from './encoder/pass.js';
import { checkActivation, type Activation } from './feed/feedForwardLayer.js';

/** The options of `TransformerEncoderLayer`. */
export interface TransformerEncoderLayerOptions {
  /** D, a multiple of `numHeads`. */
  numHiddens: number;
  numHeads: number;
  /** The width between the two linear maps. */
  ffnHiddens: number;
  /**
   * Probability in training of dropping an attention weight, a hidden unit of the feed-forward network after its
   * activation, or an element of a sublayer's output. Default 0.
   */
  dropout?: number;
  /** Whether the linear maps have biases. Default true; the two norms always have them. */
  bias?: boolean;
  /** Default 'relu'. */
  activation?: Activation;
  /** 'pre' normalises the input of each sublayer, 'post' the sum of its input and its output. Default 'post'. */
  norm?: 'pre' | 'post';
  /** As in `MultiHeadAttention`. */
  rotary?: RotaryOptions;
  /** Seed of the initial values and of dropout. By default each layer has a random one. */
  seed?: number;
}

/** The options of a forward pass: those of attention, without a past. */
export type TransformerEncoderLayerForwardOptions = Omit<
  LayerForwardOptions,
  'cache' | 'pastKey' | 'pastValue'
>;

/** What `TransformerEncoderLayer.forward` returns. */
export interface TransformerEncoderLayerResult extends Pick<
  MultiHeadAttentionResult,
  'weights' | 'scores' | 'logSumExp'
> {
  /** (B, L, D) */
  output: Tensor;
  /** As in other layers; the gradients of attention options are present if the options were given. */
  backward?: (
    gradOutput: TensorLike,
    options?: BackwardOptions,
  ) => { input: Tensor } & Pick<
    MultiHeadAttentionGradients,
    'bias' | 'relativeKeys' | 'relativeValues' | 'sinks'
  >;
}

/**
 * Self-attention and a feed-forward network, each with a residual connection and a layer norm (Vaswani et al. 2017, section
 * 3.1; pre-norm: Xiong et al. 2020). State: the names of torch.nn.TransformerEncoderLayer, such as `self_attn.in_proj_weight`
 * (3·D, D) for queries, keys and values.
 */
export interface TransformerEncoderLayer extends Omit<Layer, 'forward'> {
  /**
   * @param x (B, L, D)
   * @throws RangeError also for `cache`, `pastKey` and `pastValue`
   * @example
   * const layer = new attention.TransformerEncoderLayer({ numHiddens: 64, numHeads: 4, ffnHiddens: 256 });
   * const { output } = layer.forward(x, { validLens: [3, 2] });
   */
  forward(x: TensorLike, options?: TransformerEncoderLayerForwardOptions): TransformerEncoderLayerResult;
}

const OPERATION = 'TransformerEncoderLayer';
const FORWARD = `${OPERATION}.forward`;
const OPTIONS: Known<TransformerEncoderLayerOptions> = {
  numHiddens: 1,
  numHeads: 1,
  ffnHiddens: 1,
  dropout: 1,
  bias: 1,
  activation: 1,
  norm: 1,
  rotary: ROTARY_OPTIONS,
  seed: 1,
};

/** The class for a loaded module. */
export function transformerEncoderLayerClass(
  wasm: Wasm,
): new (options: TransformerEncoderLayerOptions) => TransformerEncoderLayer {
  return class TransformerEncoderLayer extends EncoderLayer {
    constructor(options: TransformerEncoderLayerOptions) {
      super(wasm, options);
    }
  };
}

class EncoderLayer extends ParameterOwner implements TransformerEncoderLayer {
  readonly #encoder: Encoder;
  readonly #dropout: number;
  readonly #rotary: RotaryPositioning | undefined;
  #seed: number;

  constructor(wasm: Wasm, options: TransformerEncoderLayerOptions) {
    const given = checkOptions(OPERATION, options, OPTIONS);
    const size = (name: string, value: number) => checkInteger(OPERATION, name, value, 1, 2 ** 24);
    const numHiddens = size('numHiddens', given.numHiddens);
    const heads = size('numHeads', given.numHeads);
    if (numHiddens % heads !== 0)
      wrongValue(OPERATION, `numHeads to divide numHiddens (${numHiddens})`, heads);
    const hiddenWidth = size('ffnHiddens', given.ffnHiddens);
    const { norm = 'post' } = given;
    if (!['pre', 'post'].includes(norm)) wrongValue(OPERATION, "norm to be 'pre' or 'post'", norm);
    const bias = given.bias === undefined || checkBoolean(OPERATION, 'bias', given.bias);
    const activation = checkActivation(OPERATION, given.activation);
    const dropout = checkProbability(OPERATION, 'dropout', given.dropout ?? 0);
    const rotary =
      given.rotary == null ? undefined : rotaryPositions(OPERATION, given.rotary, numHiddens / heads);
    const seed = seedOf(OPERATION, given.seed);
    const parameters = new Parameters(wasm, OPERATION, encoderSpecs(numHiddens, hiddenWidth, bias, seed));
    super(parameters);
    this.#encoder = {
      wasm,
      parameters,
      activations: new Activations(wasm.memory),
      heads,
      width: numHiddens / heads,
      hiddenWidth,
      activation,
      preNorm: norm === 'pre',
    };
    this.#dropout = dropout;
    this.#rotary = rotary;
    this.#seed = seed;
  }

  forward(x: TensorLike, options?: TransformerEncoderLayerForwardOptions): TransformerEncoderLayerResult {
    const { parameters, heads, width } = this.#encoder;
    parameters.check(FORWARD);
    const given = checkOptions<LayerForwardOptions>(FORWARD, options, LAYER_FORWARD_OPTIONS);
    const training = checkTraining(FORWARD, given.training);
    const offset = checkPosition(FORWARD, given.offset);
    for (const name of ['cache', 'pastKey', 'pastValue'] as const) {
      if (given[name] != null) wrongValue(FORWARD, `no ${name}`, 'one');
    }
    const input = toTensorOfShape(FORWARD, 'x', x, ['B', 'L', heads * width]);
    const [batch, length] = input.shape as [number, number, number];
    const into = checkOut(FORWARD, 'out.output', given.out?.output, input.data.length);
    const used: AttentionOptions = training ? ownTensors(FORWARD, given, OPTION_TENSORS) : given;
    used.dropout ??= training ? this.#dropout : 0;
    used.seed ??= this.#seed;
    const scoresShape = [batch, heads, length, length];
    const sizes = { batch, heads, queries: length, keys: length, width, valueWidth: width, past: 0, scoresShape }; // prettier-ignore
    const plan = checkAttentionOptions(FORWARD, used, sizes);
    const asked = checkAskedResults(FORWARD, used, sizes);
    const rotation = (this.#rotary ?? withoutRotary)(FORWARD, offset, plan.offset, { batch, queries: length, tokens: length, past: 0, packed: plan.packed, positions: given.positions }); // prettier-ignore
    const pass = { batch, length, plan, rotation, training };
    // Again: reading what is the caller's may have run his code.
    parameters.check(FORWARD);
    const { result, kept } = encoderForward(FORWARD, this.#encoder, pass, asked, input, into);
    if (!kept) return result;
    // Each training step drops different elements.
    this.#seed = (this.#seed + 1) >>> 0;
    const shape = [batch, length, heads * width];
    const backward = runOnce(OPERATION, parameters, shape, (operation, gradOutput, options) => {
      const into = checkInto(operation, options, gradOutput.length);
      return encoderBackward(operation, this.#encoder, pass, kept, gradOutput, into);
    });
    return { ...result, backward };
  }

  override dispose(): void {
    super.dispose();
    this.#encoder.activations.dispose();
  }
}
