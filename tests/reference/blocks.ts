/** The values of quantised blocks, one by one, as llama.cpp defines them (ggml-quants.c). */

export interface Block {
  readonly number: number;
  readonly values: number;
  readonly size: number;
  /** Where its float16s are. */
  readonly halves: readonly number[];
  readonly value: (block: DataView, i: number) => number;
}

/** A float16. */
export function half(block: DataView, at: number): number {
  const bits = block.getUint16(at, true);
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24);
}

/** So many bits from a bit's number on. */
function bits(block: DataView, at: number, first: number, count: number): number {
  let value = 0;
  for (let i = 0; i < count; ++i) {
    const bit = first + i;
    value += ((block.getUint8(at + Math.floor(bit / 8)) >> (bit % 8)) & 1) * 2 ** i;
  }
  return value;
}

/** Bits of value i of 32, in the low halves of 16 bytes and then in their high halves. */
const nibble = (block: DataView, at: number, i: number) => bits(block, at, 8 * (i % 16) + (i < 16 ? 0 : 4), 4);

/** The scale and the minimum of a run of Q4_K or Q5_K. */
function run(block: DataView, r: number): [number, number] {
  const s = (i: number): number => block.getUint8(4 + i);
  if (r < 4) return [s(r) & 63, s(r + 4) & 63];
  return [(s(r + 4) & 15) | ((s(r - 4) >> 6) << 4), (s(r + 4) >> 4) | ((s(r) >> 6) << 4)];
}

function k(block: DataView, i: number, nibbles: number, fifth: number): number {
  const r = Math.floor(i / 32);
  const q = bits(block, nibbles + 32 * Math.floor(r / 2) + (i % 32), r % 2 ? 4 : 0, 4) + 16 * fifth;
  const [scale, minimum] = run(block, r);
  return half(block, 0) * scale * q - half(block, 2) * minimum;
}

export const BLOCKS: Readonly<Record<string, Block>> = {
  F32: { number: 0, values: 1, size: 4, halves: [], value: (block) => block.getFloat32(0, true) },
  F16: { number: 1, values: 1, size: 2, halves: [0], value: (block) => half(block, 0) },
  BF16: {
    number: 30,
    values: 1,
    size: 2,
    halves: [],
    value: (block) => new Float32Array(Uint32Array.of(block.getUint16(0, true) << 16).buffer)[0]!,
  },
  Q8_0: {
    number: 8,
    values: 32,
    size: 34,
    halves: [0],
    value: (block, i) => half(block, 0) * block.getInt8(2 + i),
  },
  Q4_0: {
    number: 2,
    values: 32,
    size: 18,
    halves: [0],
    value: (block, i) => half(block, 0) * (nibble(block, 2, i) - 8),
  },
  Q4_1: {
    number: 3,
    values: 32,
    size: 20,
    halves: [0, 2],
    value: (block, i) => half(block, 0) * nibble(block, 4, i) + half(block, 2),
  },
  Q5_0: {
    number: 6,
    values: 32,
    size: 22,
    halves: [0],
    value: (block, i) => half(block, 0) * (nibble(block, 6, i) + 16 * bits(block, 2, i, 1) - 16),
  },
  Q5_1: {
    number: 7,
    values: 32,
    size: 24,
    halves: [0, 2],
    value: (block, i) => half(block, 0) * (nibble(block, 8, i) + 16 * bits(block, 4, i, 1)) + half(block, 2),
  },
  Q4_K: { number: 12, values: 256, size: 144, halves: [0, 2], value: (block, i) => k(block, i, 16, 0) },
  Q5_K: {
    number: 13,
    values: 256,
    size: 176,
    halves: [0, 2],
    value: (block, i) => k(block, i, 48, bits(block, 16 + (i % 32), Math.floor(i / 32), 1)),
  },
  Q6_K: {
    number: 14,
    values: 256,
    size: 210,
    halves: [208],
    value: (block, i) => {
      const [g, j] = [Math.floor(i / 128), i % 128];
      const low = bits(block, 64 * g + (j % 64), j < 64 ? 0 : 4, 4);
      const high = bits(block, 128 + 32 * g + (j % 32), 2 * Math.floor(j / 32), 2);
      return half(block, 208) * block.getInt8(192 + Math.floor(i / 16)) * (low + 16 * high - 32);
    },
  },
};

/** All values of blocks, as float32. */
export function dequantised({ values, size, value }: Block, bytes: Uint8Array): Float32Array {
  const floats = new Float32Array((bytes.length / size) * values);
  for (let i = 0; i < floats.length; ++i) {
    const block = new DataView(bytes.buffer, bytes.byteOffset + Math.floor(i / values) * size, size);
    floats[i] = value(block, i % values);
  }
  return floats;
}
