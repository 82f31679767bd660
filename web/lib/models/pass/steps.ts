/** The steps that only models have, besides those of layers. */
import * as AttentionArgs from '../../generated/bindings/attentionArgs.js';
import * as EmbeddingArgs from '../../generated/bindings/embeddingArgs.js';
import { activations } from '../../generated/bindings/enums.js';
import * as FeedForwardArgs from '../../generated/bindings/feedForwardArgs.js';
import * as RotaryTableArgs from '../../generated/bindings/rotaryTableArgs.js';
import * as ScaleArgs from '../../generated/bindings/scaleArgs.js';
import * as SoftmaxArgs from '../../generated/bindings/softmaxArgs.js';
import * as ZeroHeadArgs from '../../generated/bindings/zeroHeadArgs.js';
import { ARGS, clearArgs, doubles, floats, words } from '../../runtime/args.js';
import { setEmbedding, Steps, type EmbeddingFields } from '../../steps/steps.js';

/** The fields of SoftmaxArgs. */
export type SoftmaxFields = Readonly<Record<Exclude<keyof typeof SoftmaxArgs, 'BYTES'>, number>>;

export class ModelSteps extends Steps {
  /** An attention's arguments. */
  #attention = new Int32Array(0);

  /** Looks up rows of a table. */
  embedding(args: EmbeddingFields): void {
    setEmbedding(args);
    this.push('embedding', EmbeddingArgs.BYTES);
  }

  /** out (rows, dim) = the activation of x. If `gated`, x (rows, 2·dim) has gates, and then values to multiply. */
  activate(
    x: number,
    activation: (typeof activations)[number],
    rows: number,
    dim: number,
    out = x,
    gated = false,
  ): void {
    clearArgs();
    words[FeedForwardArgs.hidden] = x;
    words[FeedForwardArgs.out] = out;
    words[FeedForwardArgs.rows] = rows;
    words[FeedForwardArgs.hiddenWidth] = dim;
    words[FeedForwardArgs.gated] = Number(gated);
    words[FeedForwardArgs.activation] = activations.indexOf(activation);
    this.push('activate', FeedForwardArgs.BYTES);
  }

  /** out = factor · x, or softcap · tanh(factor · x / softcap). */
  scale(x: number, factor: number, softcap: number, rows: number, dim: number, out = x): void {
    words[ScaleArgs.x] = x;
    words[ScaleArgs.out] = out;
    words[ScaleArgs.rows] = rows;
    words[ScaleArgs.dim] = dim;
    floats[ScaleArgs.factor] = factor;
    floats[ScaleArgs.softcap] = softcap;
    this.push('scale', ScaleArgs.BYTES);
  }

  /** A row for each rotary position in `positions`; if that is 0, positions continue from the tokens in the cache. */
  rotaryTable(frequencies: number, positions: number, out: number, rows: number, dim: number, amplitude: number): void {
    clearArgs();
    words[RotaryTableArgs.frequencies] = frequencies;
    words[RotaryTableArgs.positions] = positions;
    words[RotaryTableArgs.out] = out;
    words[RotaryTableArgs.rows] = rows;
    words[RotaryTableArgs.dim] = dim;
    doubles[RotaryTableArgs.amplitude] = amplitude;
    this.push('rotaryTable', RotaryTableArgs.BYTES);
  }

  /** Keeps the arguments of the attention that has just been appended. */
  keepAttention(): void {
    this.#attention = ARGS.slice(0, AttentionArgs.BYTES / 4);
  }

  /** Repeats that attention's product of weights and values, with weights that may have changed. */
  mixValues(): void {
    ARGS.set(this.#attention);
    this.push('mixValues', AttentionArgs.BYTES);
  }

  /** Attention weights from scores. */
  softmax({ x, out, batch, heads, queries, keys, sinks }: SoftmaxFields): void {
    words[SoftmaxArgs.x] = x;
    words[SoftmaxArgs.out] = out;
    words[SoftmaxArgs.batch] = batch;
    words[SoftmaxArgs.heads] = heads;
    words[SoftmaxArgs.queries] = queries;
    words[SoftmaxArgs.keys] = keys;
    words[SoftmaxArgs.sinks] = sinks;
    this.push('softmax', SoftmaxArgs.BYTES);
  }

  /** Sets `width` of every `stride` floats to 0. */
  zeroHead(head: number, rows: number, width: number, stride: number): void {
    words[ZeroHeadArgs.head] = head;
    words[ZeroHeadArgs.rows] = rows;
    words[ZeroHeadArgs.width] = width;
    words[ZeroHeadArgs.stride] = stride;
    this.push('zeroHead', ZeroHeadArgs.BYTES);
  }
}
