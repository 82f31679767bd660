/** ALiBi, whose distances are between tokens: in padded rows they are not those between places. */
import * as AttentionArgs from '../../generated/bindings/attentionArgs.js';
import { setStack, words } from '../../runtime/args.js';
import type { Memory } from '../../runtime/memory.js';
import type { ModelWeights } from '../weights/types.js';
import type { Layout } from './layout.js';
import { maskColumns } from './mask.js';
import type { Request } from './types.js';

/** The address of padded rows' biases, (B, heads, columns); 0 if the distances are those between places. */
export function alibiInput({ alibiSlopes }: ModelWeights, heads: number, request: Request, layout: Layout): number {
  const isPadded = alibiSlopes && request.positions === 'own';
  return isPadded ? layout.floats(request.batch * heads * maskColumns(request)) : 0;
}

/** Writes each key's bias, its distance from the row's last token times the slope. */
export function placeAlibi(
  memory: Memory,
  { alibiSlopes }: ModelWeights,
  heads: number,
  address: number,
  request: Pick<Request, 'batch' | 'tokens' | 'past' | 'cache'>,
  mask: Uint8Array,
): void {
  const columns = maskColumns(request);
  const keys = request.past + request.tokens;
  const slopes = memory.read(alibiSlopes, heads);
  const bias = new Float32Array(request.batch * heads * columns);
  for (let b = 0; b < request.batch; ++b) {
    let distance = 0;
    for (let key = keys - 1; key >= 0; --key) {
      for (let h = 0; h < heads; ++h) bias[(b * heads + h) * columns + key] = slopes[h]! * distance;
      distance -= mask[b * keys + key]!;
    }
  }
  memory.write(address, bias);
}

/** Sets attention's arguments. */
export function setAlibi({ alibiSlopes }: ModelWeights, heads: number, address: number, request: Request): void {
  words[AttentionArgs.alibiSlopes] = request.positions === 'none' || address ? 0 : alibiSlopes;
  if (!address) return;
  const columns = maskColumns(request);
  setStack(AttentionArgs.bias, AttentionArgs.biasStrides, address, { batch: heads * columns, head: columns, row: 0 });
  words[AttentionArgs.biasColumns] = columns;
  words[AttentionArgs.biasStep] = 1;
}
