import * as AttentionArgs from '../../generated/bindings/attentionArgs.js';
import { setStack, words } from '../../runtime/args.js';
import type { Request } from './types.js';

/** The columns of a pass's padding mask. With a cache as many as that has, so that later passes can run the same program. */
export function maskColumns({ tokens, cache }: Pick<Request, 'tokens' | 'cache'>): number {
  return cache?.sizes.capacity ?? tokens;
}

/** Sets attention's padding mask, (B, columns) bytes; 0 for none. */
export function setMask(mask: number, columns: number): void {
  if (!mask) return;
  setStack(AttentionArgs.mask, AttentionArgs.maskStrides, mask, { batch: columns, head: 0, row: 0 });
  words[AttentionArgs.maskColumns] = columns;
  words[AttentionArgs.maskStep] = 1;
}
