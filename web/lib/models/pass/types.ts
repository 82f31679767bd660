import type { CacheStore } from '../../steps/cache.js';
import type { Steps } from '../../steps/steps.js';
import type { Frequencies } from '../rotary.js';
import type { Tensor } from '../../types.js';
import type { Layout } from './layout.js';

/** What happens with a tensor of a pass. */
export interface Hook {
  /** The caller's function. */
  readonly call?: ((value: Tensor) => unknown) | undefined;
  /** Sees what stands there after it. */
  readonly see?: (value: Tensor) => void;
}

/** By the tensors' names. */
export type Hooks = ReadonlyMap<string, Hook>;

/** Layers with heads or neurons in them. */
export type Pairs = readonly (readonly [layer: number, index: number])[];

/** The settings that a pass is built for. */
export interface Request {
  readonly batch: number;
  readonly tokens: number;
  /** Tokens in the cache. */
  readonly past: number;
  readonly cache: CacheStore | undefined;
  /** Replaces the architecture's windows: how many keys up to its own a query sees. */
  readonly window: number | undefined;
  readonly hasMask: boolean;
  /** 'own' positions are one list for each sequence: the caller's, or counted behind padding. */
  readonly positions: 'counted' | 'none' | 'own';
  /** Of each layer. */
  readonly frequencies: readonly (Frequencies | undefined)[];
  readonly needWeights: boolean;
  readonly needHiddenStates: boolean;
  readonly lastOnly: boolean;
  /** Whether to compute logits and the pooled vector. */
  readonly needHeads: boolean;
  readonly ablate: Pairs | undefined;
  readonly ablateNeurons: Pairs | undefined;
  readonly hooks: Hooks | undefined;
}

/** A tensor in wasm memory. */
export interface Place {
  readonly address: number;
  readonly shape: readonly number[];
  /** In floats, of each axis but the last one, unless elements follow one another. */
  readonly strides?: readonly number[] | undefined;
}

/** A tensor that a hook sees, after that many bytes of steps. */
export interface HookPoint extends Place {
  readonly after: number;
  /** The steps up to here only follow if the tensor is replaced. */
  until: number;
}

export interface Program {
  readonly layout: Layout;
  readonly steps: Steps;
  /** The addresses of a pass's inputs; 0 for those that are not used. */
  readonly inputs: {
    readonly ids: number;
    /** The numbers of each patch of pictures, by channel, row and column. */
    readonly patches: number;
    /** The table of positions of this pass's pictures. */
    readonly table: number;
    readonly types: number;
    readonly positions: number;
    readonly angles: number;
    readonly mask: number;
    /** Biases of padded rows: see alibi.ts. */
    readonly alibi: number;
    /** Rows of each sequence: the first and the last that are not padding. */
    readonly first: number;
    readonly last: number;
    /** Rows of each sequence: the token that ends the text. */
    readonly end: number;
    readonly offsets: number;
    /** The learned bias of each distance, from the smallest on: (heads, keys + queries − 1). */
    readonly relativeBias: number;
    /** Rows of heads' tables of distances, from the smallest distance on and from the largest on: (heads, 2·tokens − 1). */
    readonly distances: number;
    readonly negated: number;
    /** A zero for each column. */
    readonly zeros: number;
  };
  readonly hooks: ReadonlyMap<string, HookPoint>;
  readonly hidden: Place;
  readonly logits: Place | undefined;
  readonly pooled: Place | undefined;
  readonly embeds: Place | undefined;
  readonly weights: readonly Place[];
  readonly hiddenStates: readonly Place[];
}

/** The names of a layer's hooks, after `blocks.{i}.`; the others are `hook_embed` and `ln_final.hook_normalized`. */
export type LayerHook = (typeof LAYER_HOOKS)[number];
export const LAYER_HOOKS = [
  'hook_resid_pre',
  'ln1.hook_normalized',
  'attn.hook_q',
  'attn.hook_k',
  'attn.hook_v',
  'attn.hook_rot_q',
  'attn.hook_rot_k',
  'attn.hook_attn_scores',
  'attn.hook_pattern',
  'attn.hook_z',
  'attn.hook_result',
  'hook_attn_out',
  'hook_resid_mid',
  'ln2.hook_normalized',
  'mlp.hook_pre',
  'mlp.hook_pre_linear',
  'mlp.hook_post',
  'hook_mlp_out',
  'hook_resid_post',
  'hook_normalized_resid_post',
] as const;
