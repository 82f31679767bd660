/** Takes a .safetensors file apart without the library. */

interface Tensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: readonly number[];
}

interface Entry {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

/** A file's tensors by name, whatever their order and the spaces in the header. */
export function normalised(file: Uint8Array): Record<string, Tensor> {
  const length = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  if (length % 8 !== 0) throw new Error(`expected data that is aligned, got a header of ${length} bytes`);
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + length))) as Record<string, Entry>;
  const data = file.subarray(8 + length);
  const tensors: Record<string, Tensor> = {};
  let covered = 0;
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    const bytes = Array.from(data.subarray(...data_offsets));
    covered += bytes.length;
    tensors[name] = { dtype, shape, bytes };
  }
  if (covered !== data.length) throw new Error(`expected ${data.length} bytes of tensors, got ${covered}`);
  return tensors;
}
