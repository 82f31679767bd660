/** Where hooks see the tensors of a pass. */
import type { Steps } from '../../steps/steps.js';
import type { HookPoint, Hooks, LayerHook } from './types.js';

type Name = LayerHook | 'hook_embed' | 'ln_final.hook_normalized';

/** Notes the places in the order of the pass; without hooks none, which takes no time. */
export class Points {
  readonly all = new Map<string, HookPoint>();
  readonly #steps: Steps;
  readonly #hooks: Hooks | undefined;
  #prefix = '';

  constructor(steps: Steps, hooks: Hooks | undefined) {
    this.#steps = steps;
    this.#hooks = hooks;
  }

  /** The names that follow are of this layer, or of none. */
  enter(layer: number | undefined): void {
    this.#prefix = layer === undefined ? '' : `blocks.${layer}.`;
  }

  /** Whether there is a hook of one of these names. */
  wants(...names: readonly Name[]): boolean {
    return this.#hooks !== undefined && names.some((name) => this.#hooks!.has(this.#prefix + name));
  }

  /** A hook may see this tensor after the steps so far. */
  add(name: Name, address: number, shape: readonly number[], strides?: readonly number[]): void {
    if (!this.#hooks) return;
    const after = this.#steps.bytes;
    this.all.set(this.#prefix + name, { address, shape, strides, after, until: after });
  }

  /** Appends steps that only follow if a hook replaces the tensor. */
  ifReplaced(name: Name, append: () => void): void {
    if (!this.wants(name)) return;
    append();
    this.all.get(this.#prefix + name)!.until = this.#steps.bytes;
  }
}
