/**
 * The memory of operations and layers.
 *
 * An operation works inside a `scope`. Everything that it places there (inputs, outputs, working memory) is released
 * when the scope ends, even by an error. Scopes share one small block that stays allocated, so a small call needs no
 * malloc; larger data gets its own block until the scope ends. Growing the memory detaches views, so a view is never
 * kept: it is read again from the module after every allocation.
 */

import { kindOf, sizeOf, wrongValue } from '../check/values.js';
import type { WithScratch } from '../generated/bindings/raw.js';
import type { Tensor } from '../types.js';
import { ARGS } from './args.js';
import { narrow } from './halves.js';

/** The allocator and the views of a module's memory. */
export interface Heap {
  malloc(bytes: number): number;
  free(address: number): void;
  /** Restores the module's state between calls, after one that ended in an exception. */
  restore(): void;
  readonly HEAPU8: Uint8Array;
  readonly HEAP32: Int32Array;
  readonly HEAPF32: Float32Array;
  readonly HEAPF64: Float64Array;
}

const PIECE_FLOATS = 128 * 1024;
const ALIGNMENT = 16; // a SIMD vector
const RESIDENT_BYTES = 256 * 1024;
const ADDRESS_SPACE = 2 ** 32;

/**
 * How many rows an operation that works row by row handles at once. Such a piece stays in the core's cache while it is
 * copied in, computed and copied out, and wasm memory does not grow with the size of the whole.
 */
export function rowsAtOnce(rows: number, width: number): number {
  return Math.min(rows, Math.max(1, Math.floor(PIECE_FLOATS / width)));
}

/**
 * A view of the elements from `begin` to `end`; the array itself for all of them, because making a view takes as long
 * as a small call.
 */
export function part(array: Float32Array, begin: number, end: number): Float32Array {
  return end - begin < array.length ? array.subarray(begin, end) : array;
}

/**
 * A fresh array of zeros. Sizes beyond wasm's address space are rejected: operating systems overcommit memory, and kill
 * a process that uses it.
 */
export function fresh<T>(
  operation: string,
  Kind: { new (count: number): T; readonly BYTES_PER_ELEMENT: number },
  count: number,
): T {
  const bytes = bytesOf(operation, count, Kind.BYTES_PER_ELEMENT);
  if (bytes >= ADDRESS_SPACE) outOfMemory(operation, bytes);
  return orOutOfMemory(operation, bytes, () => new Kind(count));
}

/** Makes a JavaScript array of `bytes` bytes; throws the library's error if there is no memory for it. */
export function orOutOfMemory<T>(operation: string, bytes: number, make: () => T): T {
  try {
    return make();
  } catch {
    return outOfMemory(operation, bytes);
  }
}

function outOfMemory(operation: string, bytes: number): never {
  // A BigInt is never printed as 1e+21.
  return wrongValue(operation, `${BigInt(bytes)} free bytes`, 'out of memory');
}

/** Bytes of `count` elements. Sizes are float64s, whose products do not wrap around as those of integers would. */
function bytesOf(operation: string, count: number, size: number): number {
  if (count >= 0 && Number.isInteger(count)) return count * size;
  return wrongValue(operation, 'a whole number of elements', count);
}

/** The error to throw: after a trap, the module's memory may be corrupt. */
function explained(operation: string, error: unknown): unknown {
  // A hook may throw anything.
  const { name, message } = (error ?? {}) as Error;
  if (name !== 'RuntimeError') return error;
  const hint = 'load({ fresh: true }) makes a new module';
  return new Error(`${operation}: expected the module to return, got ${message}; ${hint}`, { cause: error });
}

/** The memory that a scope, or a call with working memory, uses. The outer scope continues with its own frame. */
interface Frame {
  readonly operation: string;
  /** The number of blocks. */
  used: number;
  /** Addresses in the last one: where its free part begins and ends. */
  top: number;
  end: number;
}

/**
 * Any function call may throw, even in a `finally`, because JavaScript's stack may overflow. So a scope ends with
 * assignments, which call nothing, and the next scope does the rest. malloc and free are never left halfway: free calls
 * nothing, and malloc asks for more memory before it changes anything.
 */
export class Memory {
  readonly #heap: Heap;
  /** Addresses of blocks. The first one stays; the next scope frees those that the frame does not use. */
  readonly #blocks: number[] = [];
  #frame: Frame = { operation: '', used: 0, top: 0, end: 0 };
  /** Whether a scope has ended in an exception since the module was last restored. */
  #interrupted = false;

  constructor(heap: Heap) {
    this.#heap = heap;
  }

  /** Runs `body`; everything placed in it is released afterwards. `operation` is named when memory runs out. */
  scope<T>(operation: string, body: () => T): T {
    if (this.#interrupted) this.#restore();
    const outer = this.#frame;
    if (outer.used === 0) this.#addBlock(operation, RESIDENT_BYTES);
    this.#frame = { ...outer, operation };
    try {
      return body();
    } catch (error) {
      this.#interrupted = true;
      throw explained(operation, error);
    } finally {
      this.#frame = outer;
      if (this.#blocks.length > outer.used) {
        // After an exception threads may still be writing there.
        if (this.#interrupted) this.#restore();
        else this.#free();
      }
    }
  }

  /** Recovers from an exception that may have come from the module. */
  #restore(): void {
    this.#heap.restore();
    this.#free();
    this.#interrupted = false;
  }

  /** Frees the blocks that are no longer in use. */
  #free(): void {
    while (this.#blocks.length > this.#frame.used) {
      this.#heap.free(this.#blocks.at(-1)!);
      this.#blocks.length -= 1;
    }
  }

  /** Reserves `count` elements of 4 bytes, with undefined content. */
  reserve(count: number): number {
    return this.#place(count, 4);
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

  /** `floats`, without a copy of a `view`. */
  placed(data: Float32Array): number {
    return data.buffer === this.#heap.HEAPF32.buffer ? data.byteOffset : this.floats(data);
  }

  /** `count` floats in this memory, until more of it is reserved. */
  view(address: number, count: number): Float32Array {
    const start = address >>> 2;
    return this.#heap.HEAPF32.subarray(start, start + count);
  }

  /**
   * `reserve` for an output, for which `read` is called with the same `into`. With several threads it may be copied
   * earlier.
   */
  output(count: number, _into?: Float32Array): number {
    return this.reserve(count);
  }

  /** Copies float64s in; returns the address of the copy. */
  doubles(data: ArrayLike<number>): number {
    const address = this.#place(data.length, 8);
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
    const address = this.#place(data.length, 1);
    this.#heap.HEAPU8.set(data, address);
    return address;
  }

  /**
   * Applies a function of the module that works in place to all rows of `data`: in pieces, because data may be larger
   * than wasm memory, unless `into` may overlap it.
   */
  mapRows(
    data: Float32Array,
    width: number,
    kernel: (piece: number, first: number, count: number) => void,
    into?: Float32Array,
  ): Float32Array {
    const rows = data.length / width;
    const most = into?.buffer === data.buffer ? rows : rowsAtOnce(rows, width);
    const piece = this.reserve(most * width);
    // A single piece becomes the result.
    let out =
      into ??
      (most === rows
        ? undefined
        : orOutOfMemory(this.#frame.operation, 4 * data.length, () => new Float32Array(data.length)));
    for (let row = 0; row < rows; row += most) {
      const count = Math.min(most, rows - row);
      const [begin, end] = [row * width, (row + count) * width];
      this.write(piece, part(data, begin, end));
      kernel(piece, row, count);
      const read = this.read(piece, end - begin, out && part(out, begin, end));
      out ??= read;
    }
    return out ?? new Float32Array(0);
  }

  /**
   * Calls a function with a struct, ARGS unless given, and working memory: first with the rest of the block, then, if
   * it needs more, with that much.
   */
  run(call: WithScratch, struct: ArrayLike<number> = ARGS): void {
    const outer = this.#frame;
    const frame = (this.#frame = { ...outer });
    const args = this.ints(struct);
    const needed = call(args, frame.top, frame.end - frame.top);
    if (needed > 0) call(args, this.#place(needed, 1), needed);
    this.#frame = outer;
    if (this.#blocks.length > outer.used) this.#free();
  }

  /** Copies ARGS in; returns the address of the copy. */
  args(): number {
    return this.ints(ARGS);
  }

  /** Writes floats at an address. */
  write(address: number, data: ArrayLike<number>): void {
    if (this.#interrupted) this.#restore();
    this.#heap.HEAPF32.set(data, address >>> 2);
  }

  /** Writes int32s at an address. */
  writeInts(address: number, data: ArrayLike<number>): void {
    this.#heap.HEAP32.set(data, address >>> 2);
  }

  /** Reserves `count` floats that are zeros. */
  zeros(count: number): number {
    const address = this.reserve(count);
    this.clear(address, count);
    return address;
  }

  /** Writes zeros. */
  clear(address: number, count: number): void {
    if (this.#interrupted) this.#restore();
    this.#heap.HEAPF32.fill(0, address >>> 2, (address >>> 2) + count);
  }

  /** A fresh copy of `count` floats, or `into` filled with them, which may be of float16 (FloatArray of types.ts). */
  read(address: number, count: number, into?: Float32Array): Float32Array {
    if (this.#interrupted) this.#restore();
    const view = this.view(address, count);
    // Not slice(), which also writes zeros first and takes 1.5 to 2.5 times as long.
    if (!into) return orOutOfMemory(this.#frame.operation, 4 * count, () => new Float32Array(view));
    if (kindOf(into) === 'Uint16Array') return narrow(view, into as unknown as Uint16Array) as unknown as Float32Array;
    // Not the array's own method, which a caller may have replaced. It rounds for a Float16Array.
    Float32Array.prototype.set.call(into, view);
    return into;
  }

  /** `read` of a tensor. */
  tensor(address: number, shape: readonly number[], into?: Float32Array): Tensor {
    return { data: this.read(address, sizeOf(shape), into), shape: [...shape] };
  }

  /** Allocates `count` zeros that stay until `release`, for the parameters of a layer. */
  allocate(operation: string, count: number): number {
    const address = this.#malloc(operation, bytesOf(operation, count, 4));
    this.clear(address, count);
    return address;
  }

  /** Frees memory from `allocate`. */
  release(address: number): void {
    if (this.#interrupted) this.#restore();
    this.#heap.free(address);
  }

  #place(count: number, size: number): number {
    const frame = this.#frame;
    const bytes = Math.ceil(bytesOf(frame.operation, count, size) / ALIGNMENT) * ALIGNMENT;
    if (bytes > frame.end - frame.top) this.#addBlock(frame.operation, bytes);
    const address = frame.top;
    frame.top += bytes;
    return address;
  }

  #addBlock(operation: string, bytes: number): void {
    const start = this.#malloc(operation, bytes + ALIGNMENT);
    this.#blocks.push(start);
    const frame = this.#frame;
    frame.used += 1;
    frame.top = Math.ceil(start / ALIGNMENT) * ALIGNMENT;
    frame.end = start + bytes + ALIGNMENT;
  }

  #malloc(operation: string, bytes: number): number {
    if (this.#interrupted) this.#restore();
    // If the stack overflows in malloc, the memory may have grown without renewing the views.
    this.#interrupted = true;
    const address = bytes < ADDRESS_SPACE ? this.#heap.malloc(bytes) >>> 0 : 0;
    this.#interrupted = false;
    if (address === 0) outOfMemory(operation, bytes);
    return address;
  }
}
