/** Sizes around multiples of the SIMD width (4), where kernels treat the last elements differently. */
export const SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65] as const;

/** Sizes around the kernels' blocks: 256 keys or rows, and 384 terms of the sums in a matrix product. */
export const BLOCK_SIZES = [255, 256, 257, 383, 384, 385] as const;

/** Sizes for attention: each one varies while the others are small and odd, and all vary together. */
export const ATTENTION_SIZES = [
  ...SIZES.map((n) => ({ L: n, S: 9, E: 5, Ev: 7 })),
  ...SIZES.map((n) => ({ L: 5, S: n, E: 7, Ev: 3 })),
  ...SIZES.map((n) => ({ L: 3, S: 7, E: n, Ev: 5 })),
  ...SIZES.map((n) => ({ L: 7, S: 5, E: 3, Ev: n })),
  ...SIZES.map((n) => ({ L: n, S: n, E: n, Ev: n })),
  ...BLOCK_SIZES.map((n) => ({ L: n, S: 3, E: 4, Ev: 2 })),
  ...BLOCK_SIZES.map((n) => ({ L: 9, S: n, E: 4, Ev: 3 })),
  ...BLOCK_SIZES.map((n) => ({ L: 2, S: 9, E: n, Ev: n })),
  { L: 130, S: 257, E: 20, Ev: 20 },
  { L: 33, S: 1100, E: 3, Ev: 2 },
];
