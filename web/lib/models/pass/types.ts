import type { CacheStore } from '../../steps/cache.js';
import type { Steps } from '../../steps/steps.js';
import type { Window } from '../config/architecture.js';
import type { Frequencies } from '../rotary.js';
import type { ModelHooks } from '../types.js';
import type { Layout } from './layout.js';

/** Functions of the caller's, by the names of what they see. */
export type Hooks = ReadonlyMap<string, ModelHooks[string]>;

/** What a pass is built for. */
export interface Request {
  readonly batch: number;
  readonly tokens: number;
  /** Tokens in the cache. */
  readonly past: number;
  readonly cache: CacheStore | undefined;
  /** In place of the architecture's. */
  readonly window: Window | undefined;
  readonly hasMask: boolean;
  /** 'own' positions are the caller's, one list for each sequence. */
  readonly positions: 'counted' | 'none' | 'own';
  readonly rotary: Frequencies;
  readonly needWeights: boolean;
  readonly needHiddenStates: boolean;
  readonly lastOnly: boolean;
  /** Whether to go on to logits and the pooled vector. */
  readonly needHeads: boolean;
  readonly ablate: readonly (readonly [layer: number, head: number])[] | undefined;
  readonly hooks: Hooks | undefined;
}

/** A tensor in wasm memory. */
export interface Place {
  readonly address: number;
  readonly shape: readonly number[];
  /** Whether it lies there as (B, T, H, E) and is called (B, H, T, E). */
  readonly heads?: boolean;
}

/** What a hook sees, and after how many bytes of steps. */
export interface HookPoint extends Place {
  readonly after: number;
}

export interface Program {
  /** Where its tensors are. */
  readonly layout: Layout;
  readonly steps: Steps;
  /** What is written there before each pass; 0 for what is not read. */
  readonly inputs: {
    readonly ids: number;
    readonly types: number;
    readonly positions: number;
    readonly angles: number;
    readonly mask: number;
    /** Rows of each sequence: the first, and the last that is no padding. */
    readonly first: number;
    readonly last: number;
    readonly offsets: number;
    /** The learned bias of each distance, from the smallest on: (heads, keys + queries − 1). */
    readonly relativeBias: number;
  };
  readonly hooks: ReadonlyMap<string, HookPoint>;
  readonly hidden: Place;
  readonly logits: Place | undefined;
  readonly pooled: Place | undefined;
  readonly weights: readonly Place[];
  readonly hiddenStates: readonly Place[];
}

/** The names of a layer's hooks, behind `blocks.{i}.`; the others are `hook_embed` and `ln_final.hook_normalized`. */
export const LAYER_HOOKS = [
  'hook_resid_pre',
  'attn.hook_q',
  'attn.hook_k',
  'attn.hook_v',
  'attn.hook_rot_q',
  'attn.hook_rot_k',
  'attn.hook_attn_scores',
  'attn.hook_pattern',
  'attn.hook_z',
  'hook_attn_out',
  'hook_resid_mid',
  'hook_mlp_out',
  'hook_resid_post',
  'hook_normalized_resid_post',
] as const;
