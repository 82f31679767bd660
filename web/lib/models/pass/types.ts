import type { CachePlace } from '../cache.js';
import type { Frequencies } from '../rotary.js';
import type { ModelHooks } from '../types.js';

/** Functions of the caller's, by the names of what they see. */
export type Hooks = ReadonlyMap<string, ModelHooks[string]>;

/** What a pass is built for. */
export interface Request {
  readonly batch: number;
  readonly tokens: number;
  /** Tokens in the cache. */
  readonly past: number;
  readonly cache: CachePlace | undefined;
  readonly window: number | undefined;
  readonly hasMask: boolean;
  readonly hasTypes: boolean;
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

/** What a hook sees, and after which step. */
export interface HookPoint extends Place {
  readonly after: number;
}

export interface Program {
  /** Words to be copied to where the program was built for; the numbers of the tokens and so on have places in them. */
  readonly start: number;
  readonly image: Int32Array;
  /** Of the image and everything behind it. */
  readonly size: number;
  readonly steps: number;
  readonly count: number;
  readonly inputs: {
    readonly ids: number;
    readonly types: number;
    readonly positions: number;
    readonly angles: number;
    readonly mask: number;
    readonly last: number;
    readonly offsets: number;
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
