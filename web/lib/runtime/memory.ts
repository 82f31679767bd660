/**
 * The memory of operations and layers. It is longer than 200 lines, because it has one method for each kind of data.
 *
 * An operation works inside a `scope`. Everything that it places there (inputs, outputs, working memory) is released when the
 * scope ends, even by an error. Scopes share one small block that stays allocated, so a small call needs no malloc; larger data
 * gets a block of its own until the scope ends. When the memory grows, views are detached, so a view is never kept: it is read
 * again from the module after every allocation.
 */

import type { WithScratch } from '../generated/bindings/raw.js';
import { ARGS } from './args.js';

/** The allocator and the views of a module's memory. */
export interface Heap {
  malloc(bytes: number): number;
  free(address: number): void;
  readonly HEAPU8: Uint8Array;
  readonly HEAP32: Int32Array;
  readonly HEAPF32: Float32Array;
  readonly HEAPF64: Float64Array;
}

/**
 * Large operations that work row by row are split into pieces of this many floats. A piece stays in the core's cache while it is
 * copied in, computed and copied out, and the wasm memory does not grow with the size of the whole.
 */
export const PIECE_FLOATS = 128 * 1024;

/** A fresh array for a result that is written piece by piece. */
export function freshFloats(operation: string, count: number): Float32Array {
  return copyOut(operation, count, () => new Float32Array(count));
}

/** Makes a JavaScript array of `count` elements of 4 bytes. If there is no memory for it, throws this library's error. */
function copyOut<T>(operation: string, count: number, make: () => T): T {
  try {
    return make();
  } catch {
    throw outOfMemory(operation, 4 * count);
  }
}

function outOfMemory(operation: string, bytes: number): RangeError {
  return new RangeError(`${operation}: expected ${bytes} free bytes, got out of memory`);
}

/** `freshFloats` for whole numbers. */
export function freshInts(operation: string, count: number): Int32Array {
  return new Int32Array(freshFloats(operation, count).buffer);
}

const ALIGNMENT = 16; // a SIMD vector
const RESIDENT_BYTES = 256 * 1024;
const ADDRESS_SPACE = 2 ** 32;

export class Memory {
  readonly #heap: Heap;
  /** Blocks in use; the first one is never freed. `#top` and `#end` are addresses in the last one. */
  readonly #blocks: number[] = [];
  #top = 0;
  #end = 0;
  #operation = '';

  constructor(heap: Heap) {
    this.#heap = heap;
  }

  /** Runs `body`; everything placed in it is released afterwards. `operation` is named when memory runs out. */
  scope<T>(operation: string, body: () => T): T {
    if (this.#blocks.length === 0) this.#addBlock(operation, RESIDENT_BYTES);
    const { length } = this.#blocks;
    const top = this.#top;
    const end = this.#end;
    const outer = this.#operation;
    this.#operation = operation;
    try {
      return body();
    } finally {
      this.#release(length, top, end);
      this.#operation = outer;
    }
  }

  /** Frees all but the first `blocks` blocks, the last of which is used up to `top`. */
  #release(blocks: number, top: number, end: number): void {
    while (this.#blocks.length > blocks) this.#heap.free(this.#blocks.pop()!);
    this.#top = top;
    this.#end = end;
  }

  /** Reserves `count` elements of 4 bytes, with undefined content. */
  reserve(count: number): number {
    return this.#place(4 * count);
  }

  /** Copies floats in; returns the address of the copy. */
  floats(data: ArrayLike<number>): number {
    const address = this.reserve(data.length);
    this.write(address, data);
    return address;
  }

  /** `floats` for a large input of an operation. With several threads it may be copied while the operation runs. */
  input(data: Float32Array): number {
    return this.floats(data);
  }

  /** `reserve` for an output, for which `read` is called with the same `into`. With several threads it may be copied earlier. */
  output(count: number, _into?: Float32Array): number {
    return this.reserve(count);
  }

  /** Copies float64s in; returns the address of the copy. */
  doubles(data: ArrayLike<number>): number {
    const address = this.#place(8 * data.length);
    this.#heap.HEAPF64.set(data, address >>> 3);
    return address;
  }

  /** Copies int32s in; returns the address of the copy. */
  ints(data: ArrayLike<number>): number {
    const address = this.reserve(data.length);
    this.writeInts(address, data);
    return address;
  }

  /** Copies bytes in; returns the address of the copy. */
  bytes(data: Uint8Array): number {
    const address = this.#place(data.length);
    this.#heap.HEAPU8.set(data, address);
    return address;
  }

  /** Calls a function with ARGS and working memory: first with the rest of the block, then, if it needs more, with that much. */
  run(call: WithScratch): void {
    const { length } = this.#blocks;
    const top = this.#top;
    const end = this.#end;
    const args = this.args();
    const needed = call(args, this.#top, this.#end - this.#top);
    if (needed > 0) call(args, this.#place(needed), needed);
    this.#release(length, top, end);
  }

  /** Copies ARGS in; returns the address of the copy. */
  args(): number {
    return this.ints(ARGS);
  }

  /** Writes floats at an address. */
  write(address: number, data: ArrayLike<number>): void {
    this.#heap.HEAPF32.set(data, address >>> 2);
  }

  /** Writes int32s at an address. */
  writeInts(address: number, data: ArrayLike<number>): void {
    this.#heap.HEAP32.set(data, address >>> 2);
  }

  /** Writes zeros. */
  clear(address: number, count: number): void {
    this.#heap.HEAPF32.fill(0, address >>> 2, (address >>> 2) + count);
  }

  /** A fresh copy of `count` floats, or `into` filled with them. */
  read(address: number, count: number, into?: Float32Array): Float32Array {
    const start = address >>> 2;
    const { HEAPF32 } = this.#heap;
    const view = HEAPF32.subarray(start, start + count);
    // Not slice(), which also writes zeros first and takes 1.5 to 2.5 times as long.
    if (!into) return copyOut(this.#operation, count, () => new Float32Array(view));
    // Not the array's own method, which a caller may have replaced.
    Float32Array.prototype.set.call(into, view);
    return into;
  }

  /** Allocates `count` zeros that stay until `release`, for the parameters of a layer. */
  allocate(operation: string, count: number): number {
    const address = this.#malloc(operation, 4 * count);
    this.clear(address, count);
    return address;
  }

  /** Frees memory from `allocate`. */
  release(address: number): void {
    this.#heap.free(address);
  }

  #place(bytes: number): number {
    let address = this.#top;
    const size = Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    if (size > this.#end - address) {
      this.#addBlock(this.#operation, size);
      address = this.#top;
    }
    this.#top = address + size;
    return address;
  }

  #addBlock(operation: string, bytes: number): void {
    const start = this.#malloc(operation, bytes + ALIGNMENT);
    this.#blocks.push(start);
    this.#top = Math.ceil(start / ALIGNMENT) * ALIGNMENT;
    this.#end = start + bytes + ALIGNMENT;
  }

  #malloc(operation: string, bytes: number): number {
    const address = bytes < ADDRESS_SPACE ? this.#heap.malloc(bytes) >>> 0 : 0;
    if (address === 0) throw outOfMemory(operation, bytes);
    return address;
  }
}
