/** Writes .npy files byte by byte, by the format's description. */
import { half } from '../../web/elements/shared/arrays/npy.js';
import { float16 } from '../reference/weightTypes.js';

/** The default numbers of a file; float16 can represent most of them. */
export const VALUES = [0, 1, -2.5, 0.099975586, 65504, -5.9604645e-8, 0.25, 6, 1e-3, 2, 3, -4];
/** Their shape. */
export const SHAPE = [2, 3, 2];

/** The bits of a number that float16 has. */
export function bitsOf(value: number): number {
  for (let bits = 0; bits < 0x10000; ++bits) if (Object.is(half(bits), value)) return bits;
  throw new Error(`no float16 is ${value}`);
}

interface Npy {
  readonly version?: number;
  readonly descr?: string;
  readonly fortran?: boolean;
  readonly shape?: readonly number[];
  readonly values?: readonly number[];
  readonly header?: string;
}

/** A .npy file. */
export function npy({ version = 1, descr = '<f4', fortran = false, shape = SHAPE, values = VALUES, header }: Npy = {}) {
  const written = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text =
    header ?? `{'descr': '${descr}', 'fortran_order': ${fortran ? 'True' : 'False'}, 'shape': (${written}), }`;
  const before = version === 1 ? 10 : 12;
  const padded = text.padEnd(Math.ceil((before + text.length + 1) / 64) * 64 - before - 1) + '\n';
  const size = Number(descr.at(-1));
  const bytes = new Uint8Array(before + padded.length + values.length * size);
  const view = new DataView(bytes.buffer);
  bytes.set([0x93, ...new TextEncoder().encode('NUMPY'), version, 0]);
  if (version === 1) view.setUint16(8, padded.length, true);
  else view.setUint32(8, padded.length, true);
  bytes.set(new TextEncoder().encode(padded), before);
  values.forEach((value, i) => {
    const at = before + padded.length + i * size;
    const little = !descr.startsWith('>');
    if (size === 1) view.setUint8(at, value);
    else if (size === 2) view.setUint16(at, bitsOf(float16(value)), little);
    else if (size === 4) view.setFloat32(at, value, little);
    else view.setFloat64(at, value, little);
  });
  return bytes;
}
