/** Sizes around the SIMD width (4) and its multiples, where a kernel's edges are. */
export const SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65] as const;
