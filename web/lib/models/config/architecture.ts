/** What a model is made of, whatever its family calls it. */
import type { activations } from '../../generated/bindings/enums.js';
import type { CheckedScaling } from '../../ops/rotary/scaling.js';
import type { Names } from './names.js';

export const OPERATION = 'openModel';

export type Activation = (typeof activations)[number];

/** The families that can be opened, by `config.model_type`. */
export type Family =
  'bert' | 'roberta' | 'distilbert' | 'albert' | 'gpt2' | 'gpt_neox' | 'llama' | 'mistral' | 'qwen2' | 'qwen3';

/** A model, as this library's steps see it. */
export interface Architecture {
  readonly family: Family;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly hiddens: number;
  readonly ffnHiddens: number;
  readonly vocab: number;
  readonly maxLength: number;
  /** The width of embeddings, which ALBERT maps to `hiddens`. */
  readonly embedding: number;
  readonly activation: Activation;
  /** Of the head that predicts masked tokens. */
  readonly headActivation?: Activation;
  readonly gated: boolean;
  readonly norm: 'layer' | 'rms';
  readonly eps: number;
  /** Where the norms are. 'parallel': attention and feed-forward both read the layer's input. */
  readonly order: 'post' | 'pre' | 'parallel';
  readonly causal: boolean;
  /** For each layer, how many keys up to its own a query sees; undefined, or no element: all. */
  readonly windows: readonly (number | undefined)[];
  readonly rotary?: { readonly dim: number; readonly base: number; readonly effectAt?: CheckedScaling };
  /** Rows of a learned table of positions, and the one of the first token. */
  readonly positions?: { readonly rows: number; readonly first: number };
  readonly tokenTypes: number;
  readonly padId: number | undefined;
  readonly qkNorm: boolean;
  readonly bias: { readonly qkv: boolean; readonly output: boolean; readonly ffn: boolean };
  /** Which layer's parameters each layer has: ALBERT's share them. */
  readonly groups: readonly number[];
  readonly tied: boolean;
  readonly eos: ReadonlySet<number>;
  /** The first of `config.architectures`. */
  readonly head: string;
  readonly names: Names;
}
