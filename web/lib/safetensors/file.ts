/** The tensors of a .safetensors file, before they are read. */
import { showShape, tagOf, wrongKind, wrongValue } from '../check/values.js';
import { widen } from '../runtime/halves.js';
import { MAX_HEADER_BYTES, parseHeader, type Entry } from './header.js';

/** A tensor of a file, with a view of its bytes. */
export interface FileEntry extends Entry {
  readonly bytes: Uint8Array;
  /** Reads whole rows from `begin` to `end` as floats, if the file stores them in another form. */
  readonly read?: (begin: number, end: number) => Float32Array;
}

/** Bytes of an element; unknown for other types. */
const SIZES = new Map(Object.entries({ F32: 4, F16: 2, BF16: 2, I32: 4, I8: 1, U8: 1, BOOL: 1 }));

/** Checks a file; returns its tensors in the order of their bytes. */
export function openSafetensors(operation: string, bytes: unknown): FileEntry[] {
  const file = toBytes(operation, bytes);
  if (file.length < 8) wrongValue(operation, 'a header', `${file.length} bytes`);
  const lengths = new DataView(file.buffer, file.byteOffset, 8);
  const headerBytes = lengths.getUint32(0, true) + 2 ** 32 * lengths.getUint32(4, true);
  if (headerBytes > MAX_HEADER_BYTES) {
    wrongValue(operation, `a header of at most ${MAX_HEADER_BYTES} bytes`, headerBytes);
  }
  const start = 8 + headerBytes;
  if (start > file.length) wrongValue(operation, `a header of ${headerBytes} bytes`, `${file.length - 8} bytes`);
  const entries = parseHeader(operation, file.slice(8, start));
  const end = entries.reduce((end, entry) => checkEntry(operation, end, entry), 0);
  if (end !== file.length - start) {
    wrongValue(operation, `${end} bytes of data, as the header says`, `${file.length - start}`);
  }
  return entries.map((entry) => ({ ...entry, bytes: file.subarray(start + entry.begin, start + entry.end) }));
}

/** Whether `readFloats` can read it. */
export const isFloats = ({ dtype, read }: FileEntry) => /^(F32|B?F16)$/.test(dtype) || read !== undefined;

/**
 * A tensor's floats from `begin` to `end`, all by default: a view of the file's bytes if they are aligned float32s,
 * otherwise a copy.
 */
export function readFloats({ dtype, bytes, read }: FileEntry, begin = 0, end = Infinity): Float32Array {
  if (read) return read(begin, end);
  const size = SIZES.get(dtype)!;
  const wanted = bytes.subarray(begin * size, end * size);
  if (dtype === 'F32' && wanted.byteOffset % 4 === 0) {
    return new Float32Array(wanted.buffer, wanted.byteOffset, wanted.length / 4);
  }
  const { buffer } = wanted.slice();
  if (dtype === 'F32') return new Float32Array(buffer);
  const halves = new Uint16Array(buffer);
  if (dtype === 'F16') return widen(halves, new Float32Array(halves.length));
  // BF16 is the upper half of a float32.
  return new Float32Array(new Int32Array(halves).map((bits) => bits << 16).buffer);
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
function toBytes(operation: string, bytes: unknown): Uint8Array {
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
