/** Sizes around multiples of the SIMD width (4), where kernels treat the last elements differently. */
export const SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65] as const;

/** Sizes around the kernels' blocks: 256 keys or rows, and 384 terms of the sums in a matrix product. */
export const BLOCK_SIZES = [255, 256, 257, 383, 384, 385] as const;
