import type { Memory } from '../../runtime/memory.js';

// Where a layer is dropped without dispose(), its room goes with it.
const registry = new FinalizationRegistry<() => void>((release) => release());

/** What one forward pass leaves to its backward pass. */
export interface KeptPass {
  /** Its address; within a scope. */
  place(): number;
  /** The backward pass has been made. */
  done(): void;
}

/**
 * A layer's room in wasm memory for what a forward pass in training leaves to its backward pass. There is one for each
 * layer, pass after pass, so that a training loop copies nothing and the heap stays as it is whatever becomes of a pass:
 * where the next one begins before it went back, what it left moves to a JavaScript array of its own, which the collector
 * frees.
 */
export class Activations {
  readonly #memory: Memory;
  readonly #room = { address: 0, size: 0 };
  readonly #release: () => void;
  /** The pass whose content the room holds; weakly, for one that nobody can go back through needs no copy. */
  #holder: WeakRef<Pass> | undefined;

  constructor(memory: Memory) {
    this.#memory = memory;
    const room = this.#room;
    // The closure must not hold `this`, or the collector never sees it go.
    this.#release = () => {
      if (room.size > 0) memory.release(room.address);
      room.size = 0;
    };
    registry.register(this, this.#release, this);
  }

  /** The room for a pass, `size` floats of undefined content. */
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

  /** The room is wanted by another. */
  moveOut(): void {
    if (typeof this.#kept === 'number') this.#kept = this.#memory.read(this.#kept, this.#size);
  }
}
