import { STREAMING } from '../generated/bindings/raw.js';
import type { Heap, Memory } from './memory.js';

/** A memory that copies large inputs and outputs while threads compute (cpp/kernels/stream.h). */
export interface StreamingMemory extends Memory {
  /** Runs a function of the module. If it does not copy its inputs itself, they are copied in before. */
  call<T>(name: string, run: () => T): T;
  /**
   * Imports of the module, which copy rows of the running function's inputs in, or of its output out; `total` is all
   * its rows.
   */
  readonly bringIn: (first: number, end: number, total: number) => boolean;
  readonly takeOut: (end: number, total: number) => void;
}

/** An input that is not copied in yet. */
interface Arrival {
  readonly address: number;
  readonly data: Float32Array;
}

/** An output, the array that it is copied into, and how many floats have been copied. */
interface Departure {
  readonly address: number;
  readonly count: number;
  to: Float32Array | undefined;
  taken: number;
}

const TypedArray = Object.getPrototypeOf(Float32Array.prototype) as object;
/**
 * A plain array with the same data, even if a subclass or the array itself overrides `buffer`, `byteOffset` or
 * `length`.
 */
const bare = (array: Float32Array): Float32Array => {
  const [buffer, offset, length, kind] = ['buffer', 'byteOffset', 'length', Symbol.toStringTag].map(
    (name) => Reflect.get(TypedArray, name, array) as never,
  );
  return new globalThis[kind as unknown as 'Float32Array'](buffer!, offset, length);
};

/** Smaller arrays are copied before or after the call. */
const WORTH = 4096;

export function streamingMemory(Base: new (heap: Heap) => Memory, heap: Heap): StreamingMemory {
  let arrivals: Arrival[] = [];
  let departure: Departure | undefined;
  let flows = false;
  let failure: { readonly error: unknown } | undefined;

  /** Keeps an error until the module has returned, because an exception must not pass through it. */
  const keepErrors = (copy: () => void): void => {
    try {
      copy();
    } catch (error) {
      failure ??= { error };
    }
  };

  class Streaming extends Base implements StreamingMemory {
    override scope<T>(operation: string, body: () => T): T {
      const outer = { arrivals, departure };
      arrivals = [];
      departure = undefined;
      try {
        return super.scope(operation, body);
      } finally {
        ({ arrivals, departure } = outer);
      }
    }

    override input(data: Float32Array): number {
      if (data.length < WORTH) return this.floats(data);
      const address = this.reserve(data.length);
      arrivals.push({ address, data: bare(data) });
      return address;
    }

    override output(count: number, into?: Float32Array): number {
      const address = this.reserve(count);
      if (count >= WORTH) departure = { address, count, to: into && bare(into), taken: 0 };
      return address;
    }

    override read(address: number, count: number, into?: Float32Array): Float32Array {
      if (address !== departure?.address || !departure.to) return super.read(address, count, into);
      this.#take(departure, count);
      return into ?? departure.to;
    }

    call<T>(name: string, run: () => T): T {
      const streams = STREAMING.has(name);
      if (streams) flows = arrivals.length > 0 || departure !== undefined;
      else this.#bring(0, 1, 1);
      failure = undefined;
      let waits = false;
      try {
        const result = run();
        if (failure) throw (failure as { error: unknown }).error;
        // The function needs more working memory and will be called again.
        waits = streams && Boolean(result);
        return result;
      } finally {
        flows = false;
        if (!waits) arrivals = [];
      }
    }

    readonly bringIn = (first: number, end: number, total: number): boolean => {
      if (!flows) return false;
      keepErrors(() => this.#bring(first, end, total));
      return true;
    };

    readonly takeOut = (end: number, total: number): void => {
      if (!departure) return;
      const from = departure;
      // Made here, so that its zeros too are written while other threads compute.
      from.to ??= roomFor(from.count);
      keepErrors(() => this.#take(from, (from.count / total) * end));
    };

    #bring(first: number, end: number, total: number): void {
      for (const { address, data } of arrivals) {
        const row = data.length / total;
        this.write(address + 4 * first * row, data.subarray(first * row, end * row));
      }
    }

    /** Copies out the floats before `end`. */
    #take(from: Departure, end: number): void {
      const { address, to, taken } = from;
      if (!to) return;
      super.read(address + 4 * taken, end - taken, to.subarray(taken, end));
      from.taken = end;
    }
  }
  return new Streaming(heap);
}

/**
 * An array for the result, or undefined if there is no memory for it now. If there still is none later, `read` throws.
 */
function roomFor(count: number): Float32Array | undefined {
  try {
    return new Float32Array(count);
  } catch {
    return undefined;
  }
}
