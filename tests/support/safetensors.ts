/** Safetensors files by hand. */

/** A file of this header and data, by hand. */
export function file(header: string | object, data: ArrayLike<number> = [], length?: number): Uint8Array {
  const text = new TextEncoder().encode(typeof header === 'string' ? header : JSON.stringify(header));
  const bytes = new Uint8Array(8 + text.length + data.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length ?? text.length), true);
  bytes.set(text, 8);
  bytes.set(data, 8 + text.length);
  return bytes;
}

/** What a header says of a tensor. */
export const entry = (dtype: unknown, shape: unknown, begin: unknown, end: unknown) => ({
  dtype,
  shape,
  data_offsets: [begin, end],
});

/** The bytes of an array. */
export const bytesOf = (data: ArrayBufferView) =>
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
