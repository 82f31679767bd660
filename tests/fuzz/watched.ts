/**
 * The built library with its allocator under watch: every block it takes is counted, and a chosen one is refused. Nothing of
 * this ships: the instance's exports are replaced on their way to the library, as `tests/support/library.ts` reads them.
 */
import type { WasmAttention } from 'wasm-attention';
import { load, loadWatching, type Loader, type Watched } from '../support/instance.js';

/** The allocator's books of one copy of the library. */
export class Allocator {
  /** With several threads there is a module beside the one that they share. */
  readonly memories: WebAssembly.Memory[] = [];
  /** Bytes of each block in use, by address, and above that by memory. */
  readonly blocks = new Map<number, number>();
  /** Calls of malloc so far. */
  calls = 0;
  /** Bytes that refused blocks would have had. */
  readonly refused: number[] = [];
  #refuseAt = Infinity;

  /** Bytes of the whole linear memory. */
  get heapBytes(): number {
    return this.memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
  }

  get liveBytes(): number {
    let sum = 0;
    for (const bytes of this.blocks.values()) sum += bytes;
    return sum;
  }

  /** Refuses allocation number `k` (0 is the next one) while `body` runs, and each one after it where `onward`. */
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

  /** An instance whose malloc and free go through here. */
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
      if (!this.blocks.delete(offset + (address >>> 0)))
        throw new Error(`freed ${address >>> 0}, which is no block`);
      return free(address);
    };
    return { exports };
  }
}

/** Loads with `loader`, whose instance is watched. */
export async function loadWatched(
  loader: Loader,
): Promise<{ attention: WasmAttention; allocator: Allocator }> {
  const allocator = new Allocator();
  const attention = await loadWatching(loader, (watched) => allocator.watch(watched));
  return { attention, allocator };
}

export const { attention, allocator } = await loadWatched(load);
