import * as AttentionArgs from '../../generated/bindings/attentionArgs.js';
import { setStack, words } from '../../runtime/args.js';

/** Sets attention's padding mask, (B, keys) bytes; 0 for none. */
export function setMask(mask: number, keys: number): void {
  if (!mask) return;
  setStack(AttentionArgs.mask, AttentionArgs.maskStrides, mask, { batch: keys, head: 0, row: 0 });
  words[AttentionArgs.maskColumns] = keys;
  words[AttentionArgs.maskStep] = 1;
}
