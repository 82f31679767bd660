/** Writes .safetensors with types that the library does not write: float16 and bfloat16 by their definitions. */

export interface AnyTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: ArrayBufferView;
}

export function safetensors(tensors: Record<string, AnyTensor>): Uint8Array<ArrayBuffer> {
  const header: Record<string, unknown> = {};
  let end = 0;
  for (const [name, { dtype, shape, data }] of Object.entries(tensors)) {
    header[name] = { dtype, shape, data_offsets: [end, (end += data.byteLength)] };
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  const file = new Uint8Array(8 + json.length + end);
  new DataView(file.buffer).setUint32(0, json.length, true);
  file.set(json, 8);
  let at = 8 + json.length;
  for (const { data } of Object.values(tensors)) {
    file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  return file;
}

/** The bits of numbers in a 16-bit type, truncated: sign, exponent and as many digits as fit. */
export function halved(dtype: 'F16' | 'BF16', data: Float32Array): Uint16Array {
  const bits = new Uint32Array(data.slice().buffer);
  return Uint16Array.from(bits, (bit) => {
    if (dtype === 'BF16') return bit >>> 16;
    const exponent = ((bit >>> 23) & 0xff) - 112;
    // Numbers too small for a normal one become 0.
    return ((bit >>> 16) & 0x8000) | (exponent < 1 ? 0 : (exponent << 10) | ((bit >>> 13) & 0x3ff));
  });
}

/** The numbers of these bits. */
export function float16(dtype: 'F16' | 'BF16', data: Float32Array): Float32Array {
  return Float32Array.from(halved(dtype, data), (bits) => {
    const [width, bias] = dtype === 'F16' ? [10, 15] : [7, 127];
    const exponent = (bits & 0x7fff) >> width;
    const sign = bits & 0x8000 ? -1 : 1;
    return exponent === 0 ? sign * 0 : sign * 2 ** (exponent - bias) * (1 + (bits & (2 ** width - 1)) / 2 ** width);
  });
}
