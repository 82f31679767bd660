import type { Memory } from '../../runtime/memory.js';

// Frees the memory of a layer that was garbage-collected without dispose().
const registry = new FinalizationRegistry<() => void>((release) => release());

/** What a forward pass keeps for its backward pass. */
export interface KeptPass {
  /** Its address; within a scope. */
  place(): number;
  /** The backward pass has been made. */
  done(): void;
}

/**
 * The memory in which a layer keeps what a forward pass leaves for its backward pass. Each layer has one block, which pass after
 * pass uses: a training loop copies nothing, and the heap does not grow with passes that nobody goes back through. If the next
 * forward pass begins before a backward pass, the content moves to a JavaScript array, which is garbage-collected.
 */
export class Activations {
  readonly #memory: Memory;
  readonly #room = { address: 0, size: 0 };
  readonly #release: () => void;
  /** The pass whose content is in the block. Held weakly: if it was collected, its content need not be copied. */
  #holder: WeakRef<Pass> | undefined;

  constructor(memory: Memory) {
    this.#memory = memory;
    const room = this.#room;
    // The closure must not hold `this`, which would then never be collected.
    this.#release = () => {
      if (room.size > 0) memory.release(room.address);
      room.size = 0;
    };
    registry.register(this, this.#release, this);
  }

  /** The block for a pass: `size` floats of undefined content. */
  take(operation: string, size: number): KeptPass {
    this.#holder?.deref()?.moveOut();
    this.#holder = undefined;
    if (size > this.#room.size) {
      this.#release();
      this.#room.address = this.#memory.allocate(operation, size);
      this.#room.size = size;
    }
    const pass = new Pass(this.#memory, this.#room.address, size);
    this.#holder = new WeakRef(pass);
    return pass;
  }

  dispose(): void {
    registry.unregister(this);
    this.#release();
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

  /** Another pass needs the block. */
  moveOut(): void {
    if (typeof this.#kept === 'number') this.#kept = this.#memory.read(this.#kept, this.#size);
  }
}
