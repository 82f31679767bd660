/** A model as the engine sees it, independent of its family. */
import type { activations } from '../../generated/bindings/enums.js';
import type { CheckedScaling } from '../../ops/rotary/scaling.js';
import type { Source } from '../weights/parts.js';

export const OPERATION = 'openModel';

export type Activation = (typeof activations)[number];

/** An activation outside of feed-forward networks. */
export type VectorActivation = Activation | 'tanh';

/** How a model encodes positions. */
export type PositionKind = 'learned' | 'sinusoidal' | 'rotary' | 'alibi' | 'relative' | 'none';

/** The keys within `left` before and `right` after a query; undefined: all on that side. */
export interface Window {
  readonly left?: number;
  readonly right?: number;
}

export interface RotaryPositions {
  readonly dim: number;
  readonly base: number;
  readonly effectAt?: CheckedScaling;
}

/** `rowOf` maps a key's distance from its query, key − query, to a row. */
export interface DistanceTable {
  readonly rows: number;
  readonly rowOf: (distance: number) => number;
}

/** One of a checkpoint's two towers. */
export type Part = 'vision' | 'text';

/** How pictures become tokens: special ones, and then one for each patch, row by row. */
export interface Pictures {
  readonly channels: number;
  /** The pixels of a patch's side. */
  readonly patch: number;
  /** Of the map of patches. */
  readonly hasBias: boolean;
  /** In pixels: what the table of positions was made for. */
  readonly height: number;
  readonly width: number;
  /** Learned tokens before the patches': those with positions, then those without. */
  readonly specials: readonly SpecialTokens[];
  /** Whether a picture of the config's size has the table as it is even if it is no square. */
  readonly keepsTable: boolean;
  /** How the table is resized for other sizes: each row from four rows, or from as many as fewer rows need. */
  readonly resizing: 'four' | 'antialias';
}

/** A tensor of one or more tokens. */
export interface SpecialTokens {
  readonly name: string;
  readonly shape: readonly number[];
  readonly count: number;
  readonly hasPositions: boolean;
}

export interface Architecture {
  /** `config.model_type` */
  readonly family: string;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly hiddens: number;
  readonly ffnHiddens: number;
  readonly vocab: number;
  readonly maxLength: number;
  /** The width of embeddings. If it is not `hiddens`, `names.embeddingMap` maps one to the other. */
  readonly embedding: number;
  /** Multiplies tokens' embeddings. Default 1. */
  readonly embeddingScale?: number;
  readonly activation: Activation;
  readonly gated: boolean;
  readonly norm: 'layer' | 'rms';
  readonly eps: number;
  /** What norms multiply by in place of their weight w: 1 + w, or nothing, in files without it. */
  readonly normWeight?: 'plusOne' | 'none';
  /** Norms of queries and keys: of each head, with a weight for all (default) or one for each, or of all heads at once. */
  readonly headNorm?: 'each' | 'own' | 'all';
  /** Where norms are applied. 'parallel': attention and feed-forward both read the layer's input. */
  readonly order: 'post' | 'pre' | 'parallel';
  /** Whether attention and feed-forward add to what they read, which is normed, in place of the layer's input. */
  readonly addsToNormed?: boolean;
  /** Multiplies what attention and feed-forward add. Default 1. */
  readonly residualScale?: number;
  readonly causal: boolean;
  /** For each layer, the keys that a query sees; undefined or no element: all. */
  readonly windows: readonly (Window | undefined)[];
  /** Multiplies scores. Default 1/√headDim. */
  readonly scale?: number;
  /** Scores s become softcap·tanh(s/softcap). Default none. */
  readonly softcap?: number | undefined;
  readonly positionKind: PositionKind;
  /** If it reads pictures in place of tokens. */
  readonly pictures?: Pictures;
  /**
   * A learned bias of scores, for all layers: the table `names.relativeBias` (rows, heads).
   */
  readonly relativeBias?: DistanceTable;
  /**
   * Vectors of distances, for all layers: the table `names.relativeVectors` (rows, hiddens), which `names.relativeNorm`
   * norms. A layer maps it to keys, which queries multiply, and to queries, which multiply keys; scores gain both
   * products.
   */
  readonly relativeVectors?: DistanceTable;
  /** For each layer, how queries and keys turn; undefined or no element: not at all. */
  readonly rotary?: readonly (RotaryPositions | undefined)[];
  /**
   * The number of rows of a learned table of positions, and the first token's row. Tokens with the id `skipped` are not
   * counted: they have the row of that number. `table` gives its numbers, row by row, if they are not in the file.
   */
  readonly positions?: {
    readonly rows: number;
    readonly first: number;
    readonly skipped?: number;
    readonly table?: () => Float32Array;
  };
  readonly tokenTypes: number;
  readonly padId: number | undefined;
  /** Which modules have a bias. Norms of queries and keys have one as others do, unless `headNorm` says otherwise. */
  readonly bias: Readonly<Record<'qkv' | 'output' | 'up' | 'down' | 'norm', boolean> & { headNorm?: boolean }>;
  /** For each layer, the index of its parameters in the file; several layers may share them. */
  readonly groups: readonly number[];
  /** Whether a head that predicts tokens uses the embedding if the file has no matrix for it. */
  readonly tied: boolean;
  readonly eos: ReadonlySet<number>;
  readonly names: Names;
  /** The heads that this family's files may have. */
  readonly tasks: Tasks;
  /** Whether the last of the hidden states is what the last norm reads, not what it gives. */
  readonly endsBeforeNorm?: boolean;
  /**
   * The row whose vector, after `names.poolerNorm`, is the pooled one if there is no pooler: that of the first token, or of
   * the first `endId`; undefined for none.
   */
  readonly pools?: 'first' | 'end';
  /** The token at the end of a text. 2, which the first configs have, stands for the largest id of a row. */
  readonly endId?: number;
  /** The width of the pooler's vector. Default `hiddens`. */
  readonly poolerWidth?: number;
  /** Applied to the pooler's vector. Default 'tanh'. */
  readonly poolerActivation?: VectorActivation;
  /** A matrix without a bias that maps the pooled vector to `embeds`; some files lack it. */
  readonly projection?: { readonly name: string; readonly outputs: number; readonly isOptional: boolean };
  /** Whether it is one of the towers of the checkpoint. */
  readonly isPart?: boolean;
  /** What depends on the form of the file: the shapes of its tensors by their names in the model. */
  readonly inFile?: (shapeOf: (tensor: string) => readonly number[] | undefined) => Partial<Architecture>;
  /** The first of `config.architectures`, such as `…ForMaskedLM`. Its ending says which head to use. */
  readonly className: string;
  /** The names of classes, if the config lists or counts them. */
  readonly labels: readonly string[] | undefined;
}

/** The modules' names in the files, without the family's prefix. */
export interface Names {
  /** Files with a head have this prefix, files of the bare model do not. */
  readonly prefix: string;
  /** The prefix in files of another form. */
  readonly otherPrefix?: string;
  /** Undefined for pictures. */
  readonly tokens?: string;
  /** A map of all numbers of a patch: its weight is (hiddens, channels, patch, patch). */
  readonly patches?: string;
  readonly positions?: string;
  /** A tensor (1, rows, hiddens) in place of the module `positions`. */
  readonly positionTable?: string;
  readonly types?: string;
  readonly embeddingNorm?: string;
  readonly embeddingMap?: string;
  /**
   * Maps what the last norm gives back to the width of embeddings. Then `embeddingMap` comes before positions are added,
   * and neither map has a bias.
   */
  readonly outputMap?: string;
  readonly relativeBias?: string;
  readonly relativeVectors?: string;
  readonly relativeNorm?: string;
  readonly layer: (i: number) => LayerNames;
  readonly finalNorm?: string;
  readonly pooler?: string;
  readonly poolerNorm?: string;
  /** A layer whose attention has one query for each picture, the tensor `probe`, and gives the pooled vector. */
  readonly attentionPooler?: LayerNames & { readonly probe: string };
  /** Numbers that turn the cosine of a picture and a text into their similarity. */
  readonly logitScale?: string;
  readonly logitBias?: string;
}

export interface LayerNames {
  readonly query: Source;
  readonly key: Source;
  readonly value: Source;
  readonly output: Source;
  /** Undefined: attention reads the layer's input as it is. */
  readonly norm1?: string;
  /** Undefined: the feed-forward reads the sum as it is, or in parallel what attention reads. */
  readonly norm2?: string;
  /** Norms of what attention and feed-forward give, before it is added. */
  readonly outputNorm?: string;
  readonly downNorm?: string;
  /** In a gated feed-forward, the gate's rows come first. */
  readonly up: Source | readonly Source[];
  readonly down: Source;
  /** Norms of queries and keys, as `headNorm` says. */
  readonly queryNorm?: string;
  readonly keyNorm?: string;
  /** What maps vectors of distances to keys, which queries multiply, and to queries, which multiply keys. */
  readonly relativeKey?: Source;
  readonly relativeQuery?: Source;
  /** A tensor (heads): the score of an additional key that has no value. */
  readonly sinks?: string;
}

/**
 * Heads by the ending of their class in transformers: `…ForMaskedLM` has the head 'MaskedLM'. Those of '…LM' predict
 * tokens, those of '…Classification…' have labels. If `config.architectures` names none of them, the head is the first
 * whose tensors are in the file.
 */
export type Tasks = Readonly<Partial<Record<Task, Head>>>;
export type Task =
  | 'SequenceClassification'
  | 'TokenClassification'
  | 'ImageClassification'
  | 'ImageClassificationWithTeacher'
  | 'QuestionAnswering'
  | 'PreTraining'
  | 'MaskedLM'
  | 'CausalLM';

/** The heads of many decoders, whose classifiers read the last token. */
export const DECODER_TASKS = {
  SequenceClassification: { reads: 'last', decoder: 'score', optionalBias: true },
  TokenClassification: { reads: 'each', decoder: 'classifier' },
  CausalLM: { reads: 'each', decoder: 'lm_head', optionalBias: true },
} as const satisfies Tasks;

/**
 * The hidden states that a head reads: the first token's, the second one's, the last one's, their mean or each one's, or the
 * mean of patches; or the pooler's vector.
 */
export type Reading = 'first' | 'second' | 'last' | 'mean' | 'each' | 'patches' | 'pooled';

/** A matrix, the decoder, that gives logits, optionally after a map, an activation and a norm. */
export interface Head {
  readonly reads: Reading;
  readonly map?: string;
  /** Whether the map has a bias. Default true. */
  readonly mapBias?: boolean;
  readonly activation?: VectorActivation;
  readonly norm?: string;
  readonly decoder: string;
  /** Another reading, whose logits are added: by a decoder of its own, or by the second half of the decoder's columns. */
  readonly also?: { readonly reads: Reading; readonly decoder?: string };
  /** The decoder's bias, if its name is not the decoder's; false for none. */
  readonly bias?: string | false;
  /** Whether files may lack the bias. Default false. */
  readonly optionalBias?: boolean;
  /** The number of logits, if they are neither for tokens nor for labels. A single one has no axis. */
  readonly outputs?: number;
  /** Multiplies logits l, default 1, which then become softcap·tanh(l/softcap). Default none. */
  readonly scale?: number | undefined;
  readonly softcap?: number | undefined;
}

/** The width of the last hidden states. */
export function hiddenWidth({ names, hiddens, embedding }: Architecture): number {
  return names.outputMap === undefined ? hiddens : embedding;
}
