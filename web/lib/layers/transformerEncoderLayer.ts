/// <reference lib="esnext.disposable" preserve="true" />
import {
  checkInteger,
  checkOptions,
  checkProbability,
  checkSeed,
  toTensorOfShape,
  wrongKind,
  wrongValue,
} from '../check.js';
import { disposeSymbol } from '../dispose.js';
import { freshSeed } from '../random.js';
import type { RotaryOptions } from '../rotary.js';
import type { Tensor, TensorLike } from '../types.js';
import type { Wasm } from '../wasm.js';
import { residual } from './residual.js';
import { feedForwardClass, type Activation } from './feedForward.js';
import { checkTraining, runOnce, type Layer } from './layer.js';
import { layerNormClass } from './layerNorm.js';
import { multiHeadAttentionClass } from './multiHeadAttention.js';
import { checkState, renamed, type Parameter } from './parameters.js';
import { encoderNames, fromEncoderState, toEncoderState } from './torchNames.js';
import type { LayerForwardOptions, MultiHeadAttentionGradients, MultiHeadAttentionResult } from './types.js';

/** What `TransformerEncoderLayer` is made from. */
export interface TransformerEncoderLayerOptions {
  /** D, a multiple of `numHeads`. */
  numHiddens: number;
  numHeads: number;
  /** The width between the two linear maps. */
  ffnHiddens: number;
  /** Probability, in training, of dropping an attention weight or an element that a sublayer adds. Default 0. */
  dropout?: number;
  /** Whether the linear maps have a bias. Default true; the two norms always have one. */
  bias?: boolean;
  /** Default 'relu'. */
  activation?: Activation;
  /** Whether a sublayer's input is normalised, or its sum with its input. Default 'post'. */
  norm?: 'pre' | 'post';
  /** As of `MultiHeadAttention`. */
  rotary?: RotaryOptions;
  /** Seed of the first weights and of dropout; default a fresh one for each layer. */
  seed?: number;
}

/** What a forward pass may be told: attention's options, none of them a past. */
export type TransformerEncoderLayerForwardOptions = Omit<
  LayerForwardOptions,
  'cache' | 'pastKey' | 'pastValue' | 'out'
>;

/** What `TransformerEncoderLayer.forward` returns. */
export interface TransformerEncoderLayerResult extends Pick<
  MultiHeadAttentionResult,
  'weights' | 'scores' | 'logSumExp'
> {
  /** (B, L, D) */
  output: Tensor;
  /** As of every layer; gradients of attention's options are there where these were given. */
  backward?: (
    gradOutput: TensorLike,
  ) => { input: Tensor } & Pick<MultiHeadAttentionGradients, 'bias' | 'relativeKeys' | 'relativeValues'>;
}

/**
 * Self-attention and a feed-forward network, each with a residual connection and a layer norm (Vaswani et al. 2017, section
 * 3.1; pre-norm: Xiong et al. 2020). State: torch.nn.TransformerEncoderLayer's names (`self_attn.in_proj_weight` …);
 * `parameters()` has the joined projections apart, `self_attn.W_q.weight` and so on.
 */
export interface TransformerEncoderLayer extends Omit<Layer, 'forward'> {
  /**
   * @param x (B, L, D)
   * @throws RangeError also for `cache`, `pastKey`, `pastValue` and `out`
   * @example
   * const layer = new attention.TransformerEncoderLayer({ numHiddens: 64, numHeads: 4, ffnHiddens: 256 });
   * const { output } = layer.forward(x, { validLens: [3, 2] });
   */
  forward(x: TensorLike, options?: TransformerEncoderLayerForwardOptions): TransformerEncoderLayerResult;
}

const OPERATION = 'TransformerEncoderLayer';
const FORWARD = `${OPERATION}.forward`;

/** The class for a loaded module. */
export function transformerEncoderLayerClass(
  wasm: Wasm,
): new (options: TransformerEncoderLayerOptions) => TransformerEncoderLayer {
  const Attention = multiHeadAttentionClass(wasm);
  const FeedForward = feedForwardClass(wasm);
  const LayerNorm = layerNormClass(wasm);

  return class TransformerEncoderLayer implements TransformerEncoderLayer {
    readonly #sublayers;
    readonly #width: number;
    readonly #dropout: number;
    readonly #preNorm: boolean;
    #seed: number;
    #disposed = false;

    constructor(options: TransformerEncoderLayerOptions) {
      if (options === undefined)
        wrongKind(OPERATION, 'options with numHiddens, numHeads, ffnHiddens', options);
      const given = checkOptions<TransformerEncoderLayerOptions>(OPERATION, options);
      const { numHeads, activation, rotary, norm = 'post', bias = true } = given;
      const numHiddens = checkInteger(OPERATION, 'numHiddens', given.numHiddens, 1, 2 ** 24);
      const ffnHiddens = checkInteger(OPERATION, 'ffnHiddens', given.ffnHiddens, 1, 2 ** 24);
      const dropout = checkProbability(OPERATION, 'dropout', given.dropout ?? 0);
      if (!['pre', 'post'].includes(norm)) wrongValue(OPERATION, "norm to be 'pre' or 'post'", norm);
      this.#seed = given.seed === undefined ? freshSeed() : checkSeed(OPERATION, given.seed);
      const seed = this.#seed;
      // One seed, but not the same numbers in both.
      const feedForwardSeed = (seed ^ 0x5bd1e995) >>> 0;
      this.#width = numHiddens;
      this.#dropout = dropout;
      this.#preNorm = norm === 'pre';
      this.#sublayers = {
        self_attn: new Attention({ numHiddens, numHeads, dropout, bias, seed, ...(rotary && { rotary }) }),
        linear: new FeedForward({
          numHiddens,
          ffnHiddens,
          bias,
          seed: feedForwardSeed,
          ...(activation !== undefined && { activation }),
        }),
        norm1: new LayerNorm({ normalizedShape: numHiddens }),
        norm2: new LayerNorm({ normalizedShape: numHiddens }),
      };
    }

    forward(x: TensorLike, options?: TransformerEncoderLayerForwardOptions): TransformerEncoderLayerResult {
      this.check(FORWARD);
      const training = checkTraining(FORWARD, options);
      const given: LayerForwardOptions = { ...options };
      for (const name of ['cache', 'pastKey', 'pastValue', 'out'] as const) {
        if (given[name] != null) wrongValue(FORWARD, `no ${name}`, 'one');
      }
      const input = toTensorOfShape(FORWARD, 'x', x, ['B', 'L', this.#width]);
      const shape = [...input.shape];
      const { self_attn, linear, norm1, norm2 } = this.#sublayers;
      const seed = given.seed ?? this.#seed;
      const dropout = training ? (given.dropout ?? this.#dropout) : 0;
      const attend = (tokens: Tensor) => self_attn.forward(tokens, tokens, tokens, { ...given, seed });
      // Three streams of dropout from one seed: attention's own, and one for each sublayer.
      const add = (stream: number) => residual(wasm, FORWARD, dropout, (seed ^ stream) >>> 0);
      const [add1, add2] = [add(0x85ebca6b), add(0xc2b2ae35)];
      const pass = { training };

      const normed1 = this.#preNorm ? norm1.forward(input, pass) : undefined;
      const attended = attend(normed1?.output ?? input);
      const sum1 = add1.forward(input, attended.output);
      const normed1After = this.#preNorm ? undefined : norm1.forward(sum1, pass);
      const middle = normed1After?.output ?? sum1;
      const normed2 = this.#preNorm ? norm2.forward(middle, pass) : undefined;
      const fed = linear.forward(normed2?.output ?? middle, pass);
      const sum2 = add2.forward(middle, fed.output);
      const normed2After = this.#preNorm ? undefined : norm2.forward(sum2, pass);
      const { backward: attendedBackward, ...shown } = attended;
      const result: TransformerEncoderLayerResult = { ...shown, output: normed2After?.output ?? sum2 };
      if (!training) return result;
      this.#seed = (this.#seed + 1) >>> 0;

      const through = (
        layer: { backward?: (grad: Tensor) => { input: Tensor } } | undefined,
        grad: Tensor,
      ) => (layer ? layer.backward!(grad).input : grad);
      result.backward = runOnce(OPERATION, this, shape, (operation, gradOutput) => {
        const gradSum2 = through(normed2After, { data: gradOutput, shape });
        const gradFed = fed.backward!(add2.backward(operation, gradSum2)).input;
        const gradMiddle = sumOf(gradSum2, through(normed2, gradFed));
        const gradSum1 = through(normed1After, gradMiddle);
        const { queries, keys, values, ...rest } = attendedBackward!(add1.backward(operation, gradSum1));
        const gradAttended = through(normed1, sumOf(queries, keys, values));
        return { input: sumOf(gradSum1, gradAttended), ...rest };
      });
      return result;
    }

    parameters(): Parameter[] {
      this.check('parameters');
      return Object.entries(this.#sublayers).flatMap(([prefix, layer]) =>
        layer.parameters().map((parameter) => renamed(parameter, encoderNames(prefix, parameter.name))),
      );
    }

    stateDict(): Record<string, Tensor> {
      this.check('stateDict');
      const named = Object.entries(this.#sublayers).flatMap(([prefix, layer]) =>
        Object.entries(layer.stateDict()).map(([name, tensor]) => [encoderNames(prefix, name), tensor]),
      );
      return toEncoderState(Object.fromEntries(named) as Record<string, Tensor>);
    }

    loadStateDict(state: Record<string, TensorLike>): void {
      const operation = `${OPERATION}.loadStateDict`;
      this.check(operation);
      const specs = Object.entries(this.stateDict()).map(([name, { shape }]) => ({ name, shape }));
      const tensors = checkState(operation, state, specs);
      const apart = fromEncoderState(
        operation,
        Object.fromEntries(specs.map(({ name }, i) => [name, tensors[i]!])),
        this.#width,
      );
      for (const parameter of this.parameters()) parameter.set(apart[parameter.name]!.data);
    }

    dispose(): void {
      this.#disposed = true;
      for (const layer of Object.values(this.#sublayers)) layer.dispose();
    }

    [disposeSymbol](): void {
      this.dispose();
    }

    /** Throws where the layer was disposed. */
    check(operation: string): void {
      if (this.#disposed) wrongKind(operation, 'a layer in use', 'a disposed one');
    }
  };
}

/** Element by element. */
function sumOf({ data, shape }: Tensor, ...others: Tensor[]): Tensor {
  const sum = data.slice();
  for (const other of others) for (let i = 0; i < sum.length; ++i) sum[i]! += other.data[i]!;
  return { data: sum, shape };
}
