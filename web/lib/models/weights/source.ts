/** Files of weights, as they are read. */
import { failed, tagOf, wrongValue } from '../../check/values.js';
import { toBytes } from '../../safetensors/file.js';
import type { WeightFile } from '../checkpoint/types.js';
import { OPERATION } from '../config/architecture.js';

/** The most bytes that are read at a time. */
export const PIECE_BYTES = 2 ** 20;

/** The most bytes between two reads that are read too, since another request would take longer. */
export const GAP_BYTES = 2 ** 16;

/** An open file. */
export interface Source {
  readonly name: string | undefined;
  readonly size: number;
  /** All bytes, if they are in memory. */
  readonly bytes?: Uint8Array;
  /** Whether it is cheaper to read in the order of the file. */
  readonly isSequential?: boolean;
  /** Whether it can only be read in the order of the file, which the first read tells. */
  readonly isForward?: boolean;
  /**
   * Fills `target` with the bytes from `start` on.
   *
   * @param until where the reads end that will follow one after another
   */
  read(target: Uint8Array, start: number, until: number): Promise<void>;
  close(): void;
}

/** A file that opens itself: slices of it are complete, and nothing else of it is needed. */
export abstract class OwnFile implements WeightFile {
  declare readonly name: string;
  readonly size: number;

  constructor(name: string | undefined, size: number) {
    if (name !== undefined) this.name = name;
    this.size = size;
  }

  abstract open(): Source;

  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> } {
    const arrayBuffer = async (): Promise<ArrayBuffer> => {
      const source = this.open();
      try {
        const to = Math.min(end, this.size);
        const bytes = new Uint8Array(Math.max(0, to - start));
        await source.read(bytes, start, to);
        return bytes.buffer;
      } finally {
        source.close();
      }
    };
    return { arrayBuffer };
  }

  stream(): ReadableStream<Uint8Array> {
    const source = this.open();
    let at = 0;
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const piece = new Uint8Array(Math.min(PIECE_BYTES, this.size - at));
        await source.read(piece, at, this.size);
        at += piece.length;
        if (piece.length > 0) controller.enqueue(piece);
        if (at < this.size) return;
        source.close();
        controller.close();
      },
      cancel: () => source.close(),
    });
  }
}

/** How messages call a file. */
export const fileNamed = (name: string | undefined) => (name === undefined ? 'a file' : `a file '${name}'`);

export function unreadable(name: string | undefined, cause: unknown): never {
  return failed(OPERATION, `${fileNamed(name)} that can be read`, String((cause as Error | null)?.message), cause);
}

export function wrongSize(name: string | undefined, size: number, got: number): never {
  return wrongValue(OPERATION, `${fileNamed(name)} of ${size} bytes`, got);
}

/** Runs a function whose RangeErrors are about this file, and shall name it. */
export async function namingFile<T>(
  { name }: Source,
  signal: AbortSignal | undefined,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (name === undefined || signal?.aborted || !(error instanceof RangeError)) throw error;
    if (error.message.includes(`'${name}'`)) throw error;
    const message = error.message.replace(/(?=, got )/, () => ` in '${name}'`);
    throw new RangeError(message, { cause: error });
  }
}

/** Whether a value is a file of weights, in memory or not. */
export function isWeightFile(value: unknown): value is ArrayBuffer | ArrayBufferView | WeightFile {
  if (ArrayBuffer.isView(value) || /^((Shared)?ArrayBuffer|Blob|File)$/.test(tagOf(value))) return true;
  const { size, slice } = Object(value) as Partial<WeightFile>;
  return Number.isSafeInteger(size) && size! >= 0 && typeof slice === 'function';
}

export function openSource(file: ArrayBuffer | ArrayBufferView | WeightFile): Source {
  if (file instanceof OwnFile) return file.open();
  if (!('slice' in file && 'size' in file)) return memorySource(toBytes(OPERATION, file));
  const { name, size } = file;
  return {
    name: typeof name === 'string' ? name : undefined,
    size,
    read: async (target, start) => {
      const part = new Uint8Array(await readSlice(file, start, start + target.length));
      if (part.length !== target.length) wrongSize(name, size, start + part.length);
      target.set(part);
    },
    close: () => undefined,
  };
}

async function readSlice(file: WeightFile, start: number, end: number): Promise<ArrayBuffer> {
  try {
    return await file.slice(start, end).arrayBuffer();
  } catch (cause) {
    return unreadable(file.name, cause);
  }
}

function memorySource(bytes: Uint8Array): Source {
  return {
    name: undefined,
    size: bytes.length,
    bytes,
    read: (target, start) => {
      target.set(bytes.subarray(start, start + target.length));
      return Promise.resolve();
    },
    close: () => undefined,
  };
}

/** Waits for a promise, but not longer than until the signal aborts. */
export async function unlessAborted<T>(signal: AbortSignal | undefined, promise: Promise<T>): Promise<T> {
  if (!signal) return promise;
  // If the signal is first, nobody waits for it.
  promise.catch(() => undefined);
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** All bytes of a small file. */
export async function bytesOf(
  file: ArrayBuffer | ArrayBufferView | WeightFile,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const source = openSource(file);
  try {
    return source.bytes ?? (await unlessAborted(signal, readBytes(source, 0, source.size)));
  } finally {
    source.close();
  }
}

/** New bytes of a file; `until` as in Source. */
export async function readBytes(
  source: Source,
  start: number,
  count: number,
  until = start + count,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(count);
  await source.read(bytes, start, until);
  return bytes;
}
