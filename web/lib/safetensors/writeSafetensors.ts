import { toFloats } from '../check/arrays.js';
import { bufferOf, kindOf, lengthOf, offsetOf, toElements } from '../check/elements.js';
import { tagOf, wrongKind, wrongValue } from '../check/values.js';
import { orOutOfMemory } from '../runtime/memory.js';
import type { TensorLike } from '../types.js';
import { checkName, MAX_HEADER_BYTES, METADATA } from './header.js';

const OPERATION = 'writeSafetensors';

interface Written {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/**
 * The bytes of a .safetensors file, which PyTorch can load: an Int32Array becomes I32, a Uint8Array U8, all other numbers F32.
 * Format: huggingface/safetensors, README, "Format". It does not use the wasm.
 *
 * @throws RangeError for the name `__metadata__`, which the format reserves, and for names that are not valid Unicode
 * @example
 * const file = new Blob([writeSafetensors(layer.stateDict())]);
 */
export function writeSafetensors(tensors: Record<string, TensorLike>): Uint8Array<ArrayBuffer> {
  if (tagOf(tensors) !== 'Object') {
    wrongKind(OPERATION, 'an object of tensors', tensors);
  }
  const written = Object.entries(tensors).map(([name, tensor]) => write(name, tensor));
  // Bytes last, so that every tensor begins at a multiple of its element's size.
  written.sort((a, b) => Number(a.dtype === 'U8') - Number(b.dtype === 'U8'));

  const header: [string, unknown][] = [[METADATA, { format: 'pt' }]];
  let end = 0;
  for (const { name, dtype, shape, bytes } of written) {
    const begin = end;
    end += bytes.length;
    header.push([name, { dtype, shape, data_offsets: [begin, end] }]);
  }
  const text = new TextEncoder().encode(JSON.stringify(Object.fromEntries(header)));
  const headerBytes = Math.ceil(text.length / 8) * 8;
  if (headerBytes > MAX_HEADER_BYTES) {
    wrongValue(OPERATION, `a header of at most ${MAX_HEADER_BYTES} bytes`, headerBytes);
  }
  const size = 8 + headerBytes + end;
  const file = orOutOfMemory(OPERATION, size, () => new Uint8Array(size));
  new DataView(file.buffer).setUint32(0, headerBytes, true);
  file.fill(0x20, 8, 8 + headerBytes);
  file.set(text, 8);
  let at = 8 + headerBytes;
  for (const { bytes } of written) {
    file.set(bytes, at);
    at += bytes.length;
  }
  return file;
}

function write(name: string, tensor: TensorLike): Written {
  checkName(OPERATION, name);
  if (name === METADATA) wrongValue(OPERATION, `names other than ${METADATA}`, name);
  const label = name === '' ? "''" : name;
  const elements = toElements(OPERATION, label, tensor);
  const { shape } = elements;
  const dtype = { Int32Array: 'I32', Uint8Array: 'U8' }[kindOf(elements.data) ?? ''] ?? 'F32';
  const data = dtype === 'F32' ? toFloats(OPERATION, label, elements).data : elements.data;
  // A detached array has no bytes, and takes no view.
  if (lengthOf(data) === 0) return { name, dtype, shape, bytes: new Uint8Array(0) };
  const size = lengthOf(data) * (dtype === 'U8' ? 1 : 4);
  return { name, dtype, shape, bytes: new Uint8Array(bufferOf(data), offsetOf(data), size) };
}
