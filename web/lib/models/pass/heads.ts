/** What comes after the layers: logits and the pooled vector. */
import * as AttentionArgs from '../../generated/bindings/attentionArgs.js';
import { floats, words } from '../../runtime/args.js';
import { setHeads } from '../../steps/attend.js';
import type { Matrix, Steps } from '../../steps/steps.js';
import type { Architecture, VectorActivation } from '../config/architecture.js';
import type { ModelWeights, NormWeights } from '../weights/types.js';
import type { Layout } from './layout.js';
import { setMask } from './mask.js';
import type { Place, Program, Request } from './types.js';

interface HeadTools {
  readonly hidden: Place;
  readonly inputs: Program['inputs'];
  readonly layout: Layout;
  readonly steps: Steps;
  readonly linear: (x: number, m: Matrix, out: number, count?: number) => void;
  readonly norm: (x: number, weights: NormWeights, out: number, count?: number, inputs?: number) => void;
}

export function buildHeads(
  { poolerActivation = 'tanh' }: Architecture,
  { pooler, head }: ModelWeights,
  { batch, tokens, lastOnly }: Request,
  { hidden, inputs, layout, steps, linear, norm }: HeadTools,
): Pick<Program, 'logits' | 'pooled'> {
  const dim = hidden.shape[2]!;
  const activate = (x: number, activation: VectorActivation, count: number, width: number): void =>
    activation === 'tanh' ? steps.scale(x, 1, 1, count, width) : steps.activate(x, activation, count, width);
  const rowsOf = (which: 'first' | 'last'): number => {
    const out = layout.floats(batch * dim);
    const table = hidden.address;
    steps.embedding({ ids: inputs[which], table, out, count: batch, dim, packedRows: 0, weightType: 0 });
    return out;
  };
  /** The mean of tokens that are not padding, by attention whose scores are all 0. */
  const meanOf = (): number => {
    const output = layout.floats(batch * dim);
    const [query, key, value] = [hidden.address, hidden.address, hidden.address];
    const sizes = { batch, heads: 1, kvHeads: 1, queries: 1, keys: tokens, width: dim };
    setHeads(sizes, { query, key, value, output });
    words[AttentionArgs.windowLeft] = -1;
    words[AttentionArgs.windowRight] = -1;
    floats[AttentionArgs.scale] = 0;
    setMask(inputs.mask, tokens);
    steps.attention();
    return output;
  };
  let pooled: Place | undefined;
  if (pooler) {
    const address = layout.floats(batch * dim);
    linear(rowsOf('first'), pooler, address, batch);
    activate(address, poolerActivation, batch, dim);
    pooled = { address, shape: [batch, dim] };
  }
  if (!head) return { pooled, logits: undefined };
  const { reads, map, activation, decoder, scale = 1, softcap = 0 } = head;
  const isEach = reads === 'each';
  const count = isEach && !lastOnly ? batch * tokens : batch;
  let x = hidden.address;
  if (reads === 'pooled') x = pooled!.address;
  else if (reads === 'mean') x = meanOf();
  else if (!isEach || lastOnly) x = rowsOf(isEach ? 'last' : reads);
  if (map) {
    const mapped = layout.floats(count * map.outputs);
    linear(x, map, mapped, count);
    if (activation) activate(mapped, activation, count, map.outputs);
    if (head.norm) norm(mapped, head.norm, mapped, count, map.outputs);
    x = mapped;
  }
  const address = layout.floats(count * decoder.outputs);
  linear(x, decoder, address, count);
  if (scale !== 1 || softcap > 0) steps.scale(address, scale, softcap, count, decoder.outputs);
  const rows = isEach ? [lastOnly ? 1 : tokens] : [];
  const columns = head.isScalar ? [] : [decoder.outputs];
  return { pooled, logits: { address, shape: [batch, ...rows, ...columns] } };
}
