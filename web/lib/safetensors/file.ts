/** The tensors of a .safetensors file, before they are read. */
import { showShape, tagOf, wrongKind, wrongValue } from '../check/values.js';
import { widen } from '../runtime/halves.js';
import { MAX_HEADER_BYTES, parseHeader, type Entry } from './header.js';

/** Gives room for so many floats. */
type RoomFor = (length: number) => Float32Array;

/** A tensor of a file, with a view of its bytes. */
export interface FileEntry extends Entry {
  readonly bytes: Uint8Array;
  /** Reads whole rows from `begin` to `end` out of the bytes, if they are floats in another form. */
  readonly read?: (begin: number, end: number, bytes: Uint8Array, roomFor: RoomFor) => Float32Array;
}

/** Bytes of an element; unknown for other types. */
const SIZES = new Map(Object.entries({ F32: 4, F16: 2, BF16: 2, I32: 4, I8: 1, U8: 1, BOOL: 1 }));

/** The bytes before a file's header, which say how long that is. */
export const LENGTH_BYTES = 8;

/** The bytes of the header of a file of `size` bytes, from its first LENGTH_BYTES. */
export function headerBytesOf(operation: string, first: Uint8Array, size: number): number {
  if (first.length < LENGTH_BYTES) wrongValue(operation, 'a header', `${first.length} bytes`);
  const lengths = new DataView(first.buffer, first.byteOffset, LENGTH_BYTES);
  const headerBytes = lengths.getUint32(0, true) + 2 ** 32 * lengths.getUint32(4, true);
  if (headerBytes > MAX_HEADER_BYTES) {
    wrongValue(operation, `a header of at most ${MAX_HEADER_BYTES} bytes`, headerBytes);
  }
  const rest = size - LENGTH_BYTES;
  if (headerBytes > rest) wrongValue(operation, `a header of ${headerBytes} bytes`, `${rest} bytes`);
  return headerBytes;
}

/**
 * Checks the header of a file of `size` bytes; returns its tensors in the order of their bytes, whose places are counted
 * from the beginning of the file.
 */
export function entriesOf(operation: string, header: Uint8Array, size: number): Entry[] {
  const start = LENGTH_BYTES + header.length;
  const entries = parseHeader(operation, header);
  const end = entries.reduce((end, entry) => checkEntry(operation, end, entry), 0);
  if (end !== size - start) wrongValue(operation, `${end} bytes of data, as the header says`, `${size - start}`);
  return entries.map((entry) => ({ ...entry, begin: start + entry.begin, end: start + entry.end }));
}

/** Checks a file; returns its tensors in the order of their bytes. */
export function openSafetensors(operation: string, bytes: unknown): FileEntry[] {
  const file = toBytes(operation, bytes);
  const start = LENGTH_BYTES + headerBytesOf(operation, file, file.length);
  const entries = entriesOf(operation, file.slice(LENGTH_BYTES, start), file.length);
  return entries.map((entry) => ({ ...entry, bytes: file.subarray(entry.begin, entry.end) }));
}

/** Whether `readFloats` can read it. */
export const isFloats = ({ dtype, read }: FileEntry) => /^(F32|B?F16)$/.test(dtype) || read !== undefined;

/**
 * A tensor's floats from `begin` to `end`, all by default: a view of the file's bytes if they are aligned float32s,
 * otherwise a copy.
 *
 * @param roomFor gives room for a copy; by default a new array
 */
export function readFloats(
  { dtype, bytes, read }: FileEntry,
  begin = 0,
  end = Infinity,
  roomFor: RoomFor = (length) => new Float32Array(length),
): Float32Array {
  if (read) return read(begin, end, bytes, roomFor);
  const size = SIZES.get(dtype)!;
  const wanted = bytes.subarray(begin * size, end * size);
  const { buffer, byteOffset, length } = wanted.byteOffset % size === 0 ? wanted : wanted.slice();
  if (dtype === 'F32') return new Float32Array(buffer, byteOffset, length / 4);
  const halves = new Uint16Array(buffer, byteOffset, length / 2);
  const floats = roomFor(halves.length);
  if (dtype === 'F16') return widen(halves, floats);
  // BF16 is the upper half of a float32.
  const bits = new Int32Array(floats.buffer, floats.byteOffset, floats.length);
  for (let i = 0; i < halves.length; ++i) bits[i] = halves[i]! << 16;
  return floats;
}

/** Checks that an entry begins where the previous one ended and has the bytes that its shape needs; returns its end. */
function checkEntry(operation: string, end: number, entry: Entry): number {
  const what = JSON.stringify(entry.name);
  if (entry.begin !== end) wrongValue(operation, `${what} to begin at byte ${end}`, entry.begin);
  // The size of an element is unknown for types that this library does not read.
  let size = SIZES.get(entry.dtype);
  if (!size) return entry.end;
  for (const axis of entry.shape) {
    size *= axis;
    if (!Number.isSafeInteger(size)) {
      wrongValue(operation, `${what} to fit into memory`, `shape ${showShape(entry.shape)}`);
    }
  }
  if (entry.end - entry.begin !== size) {
    const of = `${what}, ${entry.dtype} of shape ${showShape(entry.shape)},`;
    wrongValue(operation, `${of} to have ${size} bytes`, entry.end - entry.begin);
  }
  return entry.end;
}

/** A view of the argument's bytes. Checks the tag, not the class, because arrays from other realms are fine. */
export function toBytes(operation: string, bytes: unknown): Uint8Array {
  const isView = ArrayBuffer.isView(bytes);
  if (!isView && !/^(Shared)?ArrayBuffer$/.test(tagOf(bytes))) {
    wrongKind(operation, 'an ArrayBuffer or a typed array', bytes);
  }
  const given = bytes as ArrayBuffer | ArrayBufferView;
  // A view of a detached buffer would throw.
  if (given.byteLength === 0) return new Uint8Array(0);
  return isView
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(given as ArrayBuffer);
}
