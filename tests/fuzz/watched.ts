/**
 * The library with a watched allocator, which records every block and can refuse a chosen one. `loadWatching` replaces
 * malloc and free in the exports that the library gets.
 */
import type { WasmAttention } from 'wasm-attention';
import { load, loadWatching, type Loader, type Watched } from '../support/instance.js';

/** The allocator of one copy of the library. */
export class Allocator {
  /** With several threads there are two: the one that the threads share, and one that only the caller uses. */
  readonly memories: WebAssembly.Memory[] = [];
  /** Bytes of each block in use, by address plus 2^32 times the number of its memory. */
  readonly blocks = new Map<number, number>();
  /** How often malloc was called. */
  calls = 0;
  /** Bytes of each block that was refused. */
  readonly refused: number[] = [];
  #refuseAt = Infinity;

  /** Bytes of all linear memory. */
  get heapBytes(): number {
    return this.memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
  }

  get liveBytes(): number {
    let sum = 0;
    for (const bytes of this.blocks.values()) sum += bytes;
    return sum;
  }

  /** Runs `body` and refuses its allocation number `k`, counted from 0; if `onward`, also all that follow. */
  refusing<T>(k: number, onward: boolean, body: () => T): T {
    this.#refuseAt = this.calls + k;
    this.#onward = onward;
    try {
      return body();
    } finally {
      this.#refuseAt = Infinity;
    }
  }
  #onward = false;

  /** The instance with malloc and free replaced by watched ones. */
  watch({ instance, memory }: Watched): WebAssembly.Instance {
    type Export = (value: number) => number;
    const exports = { ...instance.exports };
    const [malloc, free] = [exports.malloc as Export, exports.free as Export];
    const offset = 2 ** 32 * this.memories.length;
    this.memories.push(memory);
    exports.malloc = (bytes: number) => {
      const at = this.calls++;
      if (at === this.#refuseAt || (this.#onward && at > this.#refuseAt)) {
        this.refused.push(bytes >>> 0);
        return 0;
      }
      const address = malloc(bytes);
      if (address !== 0) this.blocks.set(offset + (address >>> 0), bytes >>> 0);
      return address;
    };
    exports.free = (address: number) => {
      if (!this.blocks.delete(offset + (address >>> 0))) throw new Error(`freed ${address >>> 0}, which is no block`);
      return free(address);
    };
    return { exports };
  }
}

/** Loads a copy of the library with a watched allocator. */
export async function loadWatched(loader: Loader): Promise<{ attention: WasmAttention; allocator: Allocator }> {
  const allocator = new Allocator();
  const attention = await loadWatching(loader, (watched) => allocator.watch(watched));
  return { attention, allocator };
}

export const { attention, allocator } = await loadWatched(load);
