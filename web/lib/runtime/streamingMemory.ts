import { STREAMING } from '../generated/bindings/raw.js';
import { Memory } from './memory.js';

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

/** Smaller arrays are copied before or after the call. */
const WORTH = 4096;

/** A memory that copies large inputs and outputs while threads compute (cpp/kernels/stream.h). */
export class StreamingMemory extends Memory {
  #arrivals: Arrival[] = [];
  #departure: Departure | undefined;
  /** Whether the running function copies its inputs and its output itself. */
  #flows = false;
  #failure: { readonly error: unknown } | undefined;

  override scope<T>(operation: string, body: () => T): T {
    const [arrivals, departure] = [this.#arrivals, this.#departure];
    this.#arrivals = [];
    this.#departure = undefined;
    try {
      return super.scope(operation, body);
    } finally {
      this.#arrivals = arrivals;
      this.#departure = departure;
    }
  }

  override input(data: Float32Array): number {
    if (data.length < WORTH) return this.floats(data);
    const address = this.reserve(data.length);
    this.#arrivals.push({ address, data });
    return address;
  }

  override output(count: number, into?: Float32Array): number {
    const address = this.reserve(count);
    if (count >= WORTH) this.#departure = { address, count, to: into, taken: 0 };
    return address;
  }

  override read(address: number, count: number, into?: Float32Array): Float32Array {
    const departure = this.#departure;
    if (address !== departure?.address || !departure.to) return super.read(address, count, into);
    this.#take(departure, count);
    return into ?? departure.to;
  }

  /** Runs a function of the module. If it does not copy its inputs itself, they are copied in before. */
  call<T>(name: string, run: () => T): T {
    const streams = STREAMING.has(name);
    if (streams) this.#flows = this.#arrivals.length > 0 || this.#departure !== undefined;
    else this.#bring(0, 1, 1);
    this.#failure = undefined;
    let waits = false;
    try {
      const result = run();
      if (this.#failure) throw (this.#failure as { error: unknown }).error;
      // The function needs more working memory and will be called again.
      waits = streams && Boolean(result);
      return result;
    } finally {
      this.#flows = false;
      if (!waits) this.#arrivals = [];
    }
  }

  /** Import of the module: copies rows of the running function's inputs in; `total` is all its rows. */
  bringIn(first: number, end: number, total: number): boolean {
    if (!this.#flows) return false;
    this.#keepErrors(() => this.#bring(first, end, total));
    return true;
  }

  /** Import of the module: copies rows of the running function's output out. */
  takeOut(end: number, total: number): void {
    const from = this.#departure;
    if (!from) return;
    // Made here, so that its zeros too are written while other threads compute.
    from.to ??= roomFor(from.count);
    this.#keepErrors(() => this.#take(from, (from.count / total) * end));
  }

  /** Keeps an error until the module has returned, because an exception must not pass through it. */
  #keepErrors(copy: () => void): void {
    try {
      copy();
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  #bring(first: number, end: number, total: number): void {
    for (const { address, data } of this.#arrivals) {
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
