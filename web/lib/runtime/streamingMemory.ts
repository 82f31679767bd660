import { STREAMING } from '../generated/bindings/raw.js';
import { Memory } from './memory.js';

/** An input that is not copied in yet. */
interface PendingInput {
  readonly address: number;
  readonly data: Float32Array;
}

/** An output, the array that it is copied into, and how many floats have been copied. */
interface PendingOutput {
  readonly address: number;
  readonly count: number;
  to: Float32Array | undefined;
  copied: number;
}

/** Smaller arrays are copied before or after the call. */
const MIN_STREAMED = 4096;

/** A memory that copies large inputs and outputs while threads compute (cpp/kernels/stream.h). */
export class StreamingMemory extends Memory {
  #inputs: PendingInput[] = [];
  #output: PendingOutput | undefined;
  /** Whether the running function copies its inputs and its output itself. */
  #streams = false;
  #failure: { readonly error: unknown } | undefined;

  override scope<T>(operation: string, body: () => T): T {
    const [inputs, output] = [this.#inputs, this.#output];
    this.#inputs = [];
    this.#output = undefined;
    try {
      return super.scope(operation, body);
    } finally {
      this.#inputs = inputs;
      this.#output = output;
    }
  }

  override input(data: Float32Array): number {
    if (data.length < MIN_STREAMED) return this.floats(data);
    const address = this.reserve(data.length);
    this.#inputs.push({ address, data });
    return address;
  }

  override output(count: number, into?: Float32Array): number {
    const address = this.reserve(count);
    if (count >= MIN_STREAMED) this.#output = { address, count, to: into, copied: 0 };
    return address;
  }

  override read(address: number, count: number, into?: Float32Array): Float32Array {
    const output = this.#output;
    if (address !== output?.address || !output.to) return super.read(address, count, into);
    this.#copyOut(output, count);
    return into ?? output.to;
  }

  /** Runs a function of the module. If it does not copy its inputs itself, they are copied in before. */
  call<T>(name: string, run: () => T): T {
    const streams = STREAMING.has(name);
    if (streams) this.#streams = this.#inputs.length > 0 || this.#output !== undefined;
    else this.#copyIn(0, 1, 1);
    this.#failure = undefined;
    let waits = false;
    try {
      const result = run();
      if (this.#failure) throw (this.#failure as { error: unknown }).error;
      // The function needs more working memory and will be called again.
      waits = streams && Boolean(result);
      return result;
    } finally {
      this.#streams = false;
      if (!waits) this.#inputs = [];
    }
  }

  /** Import of the module: copies rows of the running function's inputs in; `total` is all its rows. */
  copyInputs(first: number, end: number, total: number): boolean {
    if (!this.#streams) return false;
    this.#keepErrors(() => this.#copyIn(first, end, total));
    return true;
  }

  /** Import of the module: copies rows of the running function's output out. */
  copyOutput(end: number, total: number): void {
    const from = this.#output;
    if (!from) return;
    // Allocated here, so that it is zeroed while other threads compute.
    from.to ??= roomFor(from.count);
    this.#keepErrors(() => this.#copyOut(from, (from.count / total) * end));
  }

  /** Keeps an error until the module has returned, because an exception must not pass through it. */
  #keepErrors(copy: () => void): void {
    try {
      copy();
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  #copyIn(first: number, end: number, total: number): void {
    for (const { address, data } of this.#inputs) {
      const row = data.length / total;
      this.write(address + 4 * first * row, data.subarray(first * row, end * row));
    }
  }

  /** Copies out the floats before `end`. */
  #copyOut(from: PendingOutput, end: number): void {
    const { address, to, copied } = from;
    if (!to) return;
    super.read(address + 4 * copied, end - copied, to.subarray(copied, end));
    from.copied = end;
  }
}

/** An array for the result; undefined if there is no memory for it. If there is none later either, `read` throws. */
function roomFor(count: number): Float32Array | undefined {
  try {
    return new Float32Array(count);
  } catch {
    return undefined;
  }
}
