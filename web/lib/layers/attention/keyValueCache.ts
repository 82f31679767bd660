/// <reference lib="esnext.disposable" preserve="true" />
import { wrongKind } from '../../check/values.js';
import { disposeSymbol } from '../../runtime/dispose.js';
import type { Wasm } from '../../runtime/wasm.js';

/**
 * Keys and values of the tokens so far, in wasm memory, which is freed in the same way as a layer's. It has `length` tokens and
 * space for `maxLength`.
 */
export interface KeyValueCache {
  readonly length: number;
  readonly maxLength: number;
  /** Removes all tokens; the memory stays allocated. */
  reset(): void;
  dispose(): void;
  [Symbol.dispose](): void;
}

const registry = new FinalizationRegistry<() => void>((release) => release());

/** Keys and values, (B, Hkv, maxLength, width) each; a token has `row` = Hkv * width floats of each. */
export class Cache implements KeyValueCache {
  readonly maxLength: number;
  readonly batch: number;
  /** The layer that made it; no other may use it. */
  readonly owner: object;
  readonly #release: () => void;
  #length = 0;
  #addresses: readonly [number, number] | undefined;

  constructor({ memory }: Wasm, owner: object, batch: number, maxLength: number, row: number) {
    const operation = 'createCache';
    this.owner = owner;
    this.batch = batch;
    this.maxLength = maxLength;
    // Keys and values in one block.
    const size = batch * maxLength * row;
    const keys = memory.allocate(operation, 2 * size);
    this.#addresses = [keys, keys + 4 * size];
    this.#release = () => memory.release(keys);
    registry.register(this, this.#release, this);
  }

  get length(): number {
    return this.#length;
  }

  /** The addresses of keys and values. */
  addresses(operation: string): readonly [keys: number, values: number] {
    return this.#addresses ?? wrongKind(operation, 'a cache in use', 'a disposed one');
  }

  /** To be called after tokens were appended. */
  grow(tokens: number): void {
    this.#length += tokens;
  }

  reset(): void {
    this.addresses('KeyValueCache.reset');
    this.#length = 0;
  }

  dispose(): void {
    if (!this.#addresses) return;
    this.#release();
    this.#addresses = undefined;
    registry.unregister(this);
  }

  [disposeSymbol](): void {
    this.dispose();
  }
}
