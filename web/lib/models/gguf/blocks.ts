/** The types of a GGUF file's tensors. Quantised ones come in blocks of some values of a row. */
import { widen } from '../../runtime/halves.js';
import type { FileEntry } from '../../safetensors/file.js';

export const NO_BYTES = new Uint8Array(0);

export interface BlockType {
  readonly name: string;
  /** The number of values of a block, and of its bytes. */
  readonly values: number;
  readonly size: number;
  readonly read?: FileEntry['read'];
}

/**
 * Writes the values of blocks one after another.
 *
 * @param half each float16, by its bits
 */
type Decode = (bytes: Uint8Array, to: Float32Array, half: Float32Array) => void;

let halves: Float32Array | undefined;

// In float64 every sum here is exact, so that it is rounded once, as in float32.

/** Q4_0 and Q4_1: with a minimum, or 8 below. */
function q4(hasMinimum: boolean): Decode {
  const [size, zero] = hasMinimum ? [20, 0] : [18, 8];
  return (bytes, to, half) => {
    for (let at = 0, i = 0; i < to.length; at += size, i += 32) {
      const d = half[bytes[at]! | (bytes[at + 1]! << 8)]!;
      const m = hasMinimum ? half[bytes[at + 2]! | (bytes[at + 3]! << 8)]! : 0;
      const from = at + size - 16;
      for (let j = 0; j < 16; ++j) {
        const byte = bytes[from + j]!;
        to[i + j] = d * ((byte & 15) - zero) + m;
        to[i + j + 16] = d * ((byte >> 4) - zero) + m;
      }
    }
  };
}

/** Q5_0 and Q5_1: with a minimum, or 16 below. */
function q5(hasMinimum: boolean): Decode {
  const [size, zero] = hasMinimum ? [24, 0] : [22, 16];
  return (bytes, to, half) => {
    for (let at = 0, i = 0; i < to.length; at += size, i += 32) {
      const d = half[bytes[at]! | (bytes[at + 1]! << 8)]!;
      const m = hasMinimum ? half[bytes[at + 2]! | (bytes[at + 3]! << 8)]! : 0;
      const from = at + size - 16;
      const low = bytes[from - 4]! | (bytes[from - 3]! << 8);
      const high = bytes[from - 2]! | (bytes[from - 1]! << 8);
      for (let j = 0; j < 16; ++j) {
        const byte = bytes[from + j]!;
        to[i + j] = d * (((byte & 15) | (((low >> j) & 1) << 4)) - zero) + m;
        to[i + j + 16] = d * (((byte >> 4) | (((high >> j) & 1) << 4)) - zero) + m;
      }
    }
  };
}

/** Q4_K and Q5_K: eight runs of 32, each with a scale and a minimum of six bits; two runs share their bytes. */
function qk(hasFifthBit: boolean): Decode {
  const size = hasFifthBit ? 176 : 144;
  return (bytes, to, half) => {
    const { length } = to;
    for (let at = 0, i = 0; i < length; at += size, i += 256) {
      const d = half[bytes[at]! | (bytes[at + 1]! << 8)]!;
      const e = half[bytes[at + 2]! | (bytes[at + 3]! << 8)]!;
      for (let run = 0; run < 8; run += 2) {
        const [low, lowLeast] = [d * scaleOf(bytes, at + 4, run), e * minimumOf(bytes, at + 4, run)];
        const [high, highLeast] = [d * scaleOf(bytes, at + 4, run + 1), e * minimumOf(bytes, at + 4, run + 1)];
        const from = at + size - 128 + 16 * run;
        const first = i + 32 * run;
        for (let j = 0; j < 32; ++j) {
          const byte = bytes[from + j]!;
          const fifths = hasFifthBit ? (bytes[at + 16 + j]! >> run) << 4 : 0;
          to[first + j] = low * ((byte & 15) | (fifths & 16)) - lowLeast;
          to[first + j + 32] = high * ((byte >> 4) | ((fifths >> 1) & 16)) - highLeast;
        }
      }
    }
  };
}

/** Of runs from the fifth on, the upper two bits are above those of the first. */
function scaleOf(bytes: Uint8Array, at: number, run: number): number {
  return run < 4 ? bytes[at + run]! & 63 : (bytes[at + run + 4]! & 15) | ((bytes[at + run - 4]! >> 6) << 4);
}

function minimumOf(bytes: Uint8Array, at: number, run: number): number {
  const byte = bytes[at + run + 4]!;
  return run < 4 ? byte & 63 : (byte >> 4) | ((bytes[at + run]! >> 6) << 4);
}

/** Sixteen runs of 16, each with a scale; two bits of a value are apart from the others. */
function q6k(bytes: Uint8Array, to: Float32Array, half: Float32Array): void {
  const { length } = to;
  for (let at = 0, i = 0; i < length; at += 210, i += 256) {
    const d = half[bytes[at + 208]! | (bytes[at + 209]! << 8)]!;
    for (const run of [0, 1, 8, 9]) {
      const factor = (each: number): number => d * ((bytes[at + 192 + run + each]! << 24) >> 24);
      const [a, b, c, e] = [factor(0), factor(2), factor(4), factor(6)];
      // Four runs share their bytes.
      const low = at + 64 * (run >> 3) + 16 * (run & 1);
      const high = at + 128 + 32 * (run >> 3) + 16 * (run & 1);
      const first = i + 16 * run;
      for (let j = 0; j < 16; ++j) {
        const [one, two, upper] = [bytes[low + j]!, bytes[low + j + 32]!, bytes[high + j]!];
        to[first + j] = a * (((one & 15) | ((upper & 3) << 4)) - 32);
        to[first + j + 32] = b * (((two & 15) | ((upper & 12) << 2)) - 32);
        to[first + j + 64] = c * (((one >> 4) | (upper & 48)) - 32);
        to[first + j + 96] = e * (((two >> 4) | ((upper & 192) >> 2)) - 32);
      }
    }
  }
}

function blocks(name: string, values: number, size: number, decode: Decode): BlockType {
  const read: FileEntry['read'] = (begin, end, bytes, roomFor) => {
    halves ??= widen(
      new Uint16Array(2 ** 16).map((_, i) => i),
      new Float32Array(2 ** 16),
    );
    const [first, last] = [
      Math.floor(begin / values),
      Math.ceil(Math.min(end, (bytes.length / size) * values) / values),
    ];
    const floats = roomFor((last - first) * values);
    decode(bytes.subarray(first * size, last * size), floats, halves);
    return floats.subarray(begin - first * values, Math.min(end - first * values, floats.length));
  };
  return { name, values, size, read };
}

const TYPES: Readonly<Record<number, BlockType>> = {
  0: { name: 'F32', values: 1, size: 4 },
  1: { name: 'F16', values: 1, size: 2 },
  30: { name: 'BF16', values: 1, size: 2 },
  8: { name: 'Q8_0', values: 32, size: 34 },
  2: blocks('Q4_0', 32, 18, q4(false)),
  3: blocks('Q4_1', 32, 20, q4(true)),
  6: blocks('Q5_0', 32, 22, q5(false)),
  7: blocks('Q5_1', 32, 24, q5(true)),
  12: blocks('Q4_K', 256, 144, qk(false)),
  13: blocks('Q5_K', 256, 176, qk(true)),
  14: blocks('Q6_K', 256, 210, q6k),
};

/** The types that can be read, for messages. */
export const READABLE = Object.values(TYPES)
  .map(({ name }) => name)
  .join(', ');

/** Others, by their numbers. */
const OTHERS: Readonly<Record<number, string>> = {
  9: 'Q8_1',
  10: 'Q2_K',
  11: 'Q3_K',
  15: 'Q8_K',
  16: 'IQ2_XXS',
  17: 'IQ2_XS',
  18: 'IQ3_XXS',
  19: 'IQ1_S',
  20: 'IQ4_NL',
  21: 'IQ3_S',
  22: 'IQ2_S',
  23: 'IQ4_XS',
  24: 'I8',
  25: 'I16',
  26: 'I32',
  27: 'I64',
  28: 'F64',
  29: 'IQ1_M',
  34: 'TQ1_0',
  35: 'TQ2_0',
  39: 'MXFP4',
};

/** A type by its number. Of one that cannot be read, the number of bytes is unknown. */
export function typeOf(number: number): BlockType {
  return TYPES[number] ?? { name: OTHERS[number] ?? `type ${number}`, values: 1, size: 0 };
}
