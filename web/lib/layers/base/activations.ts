import type { Memory } from '../../runtime/memory.js';

// Frees the memory of a layer that was garbage-collected without dispose().
const registry = new FinalizationRegistry<() => void>((release) => release());

/** What a forward pass keeps for its backward pass. */
export interface KeptPass {
  /** Its address, within a scope. */
  place(): number;
  /** Must be called after the backward pass. */
  done(): void;
}

/**
 * The memory in which a layer keeps what its backward pass needs: one block, which all passes use. So a training loop
 * copies nothing, and the heap does not grow if backward passes never run. If another forward pass begins before the
 * backward pass, the content moves to a JavaScript array, which is garbage-collected.
 */
export class Activations {
  readonly #memory: Memory;
  readonly #block = { address: 0, size: 0 };
  readonly #release: () => void;
  /** The pass that uses the block. A weak reference: if the pass was collected, its content need not be copied. */
  #holder: WeakRef<Pass> | undefined;

  constructor(memory: Memory) {
    this.#memory = memory;
    const block = this.#block;
    // A closure that refers to `this` would keep it from being collected.
    this.#release = () => {
      if (block.size > 0) memory.release(block.address);
      block.size = 0;
    };
    registry.register(this, this.#release, this);
  }

  /** The block for a pass: `size` floats of undefined content. */
  take(operation: string, size: number): KeptPass {
    this.#holder?.deref()?.moveOut();
    this.#holder = undefined;
    if (size > this.#block.size) {
      this.#release();
      this.#block.address = this.#memory.allocate(operation, size);
      this.#block.size = size;
    }
    const pass = new Pass(this.#memory, this.#block.address, size);
    this.#holder = new WeakRef(pass);
    return pass;
  }

  dispose(): void {
    this.#release();
    registry.unregister(this);
  }
}

class Pass implements KeptPass {
  readonly #memory: Memory;
  readonly #size: number;
  #kept: number | Float32Array | undefined;

  constructor(memory: Memory, address: number, size: number) {
    this.#memory = memory;
    this.#kept = address;
    this.#size = size;
  }

  place(): number {
    return typeof this.#kept === 'number' ? this.#kept : this.#memory.floats(this.#kept!);
  }

  done(): void {
    this.#kept = undefined;
  }

  /** Moves the content to a JavaScript array, because another pass needs the block. */
  moveOut(): void {
    if (typeof this.#kept === 'number') this.#kept = this.#memory.read(this.#kept, this.#size);
  }
}
