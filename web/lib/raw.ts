import type { Heap } from './memory.js';

/** The functions of cpp/bindings/bindings.cpp, in its order: addresses and numbers in, nothing out but sizes. */
export interface Raw extends Heap {
  maskedSoftmax(x: number, valid: number, out: number, rows: number, cols: number): void;
  scaledDotProductAttention(args: number): void;
  scaledDotProductAttentionScratch(args: number): number;
}
