/** What comes after the layers: logits, the pooled vector and its projection. */
import * as AttentionArgs from '../../generated/bindings/attentionArgs.js';
import { activations } from '../../generated/bindings/enums.js';
import { floats, setStack, words } from '../../runtime/args.js';
import { setHeads } from '../../steps/attend.js';
import type { Matrix } from '../../steps/steps.js';
import type { Architecture, Reading, VectorActivation } from '../config/architecture.js';
import { countOf } from '../config/pictures.js';
import type { AttentionPooler, ModelWeights, NormWeights } from '../weights/types.js';
import type { Layout } from './layout.js';
import { setMask } from './mask.js';
import type { ModelSteps } from './steps.js';
import type { Place, Program, Request } from './types.js';

interface HeadTools {
  readonly hidden: Place;
  readonly inputs: Program['inputs'];
  readonly layout: Layout;
  readonly steps: ModelSteps;
  readonly linear: (x: number, m: Matrix, out: number, count?: number) => void;
  readonly norm: (x: number, weights: NormWeights, out: number, count?: number, inputs?: number) => void;
}

export function buildHeads(
  a: Architecture,
  { pooler, poolerNorm, attentionPooler, projection, pictures, head }: ModelWeights,
  { batch, tokens, lastOnly }: Request,
  { hidden, inputs, layout, steps, linear, norm }: HeadTools,
): Pick<Program, 'logits' | 'pooled' | 'embeds'> {
  const { poolerActivation = 'tanh', pools } = a;
  const dim = hidden.shape[2]!;
  const activate = (x: number, activation: VectorActivation, count: number, width: number): void =>
    activation === 'tanh' ? steps.scale(x, 1, 1, count, width) : steps.activate(x, activation, count, width);
  /** Rows of tokens, or of those that many behind them. */
  const rowsOf = (which: 'first' | 'last' | 'end', behind = 0): number => {
    const out = layout.floats(batch * dim);
    const table = hidden.address + 4 * behind * dim;
    steps.embedding({ ids: inputs[which], table, out, count: batch, dim, packedRows: 0, weightType: 0 });
    return out;
  };
  /** Attention of one query of each sequence to its keys, from a token on. */
  const attendOnce = (heads: number, scale: number, query: number, key: number, value: number, from = 0): number => {
    const output = layout.floats(batch * dim);
    const width = dim / heads;
    const [keys, at] = [tokens - from, 4 * from * dim];
    setHeads({ batch, heads, kvHeads: heads, queries: 1, keys, width }, { query, key, value, output });
    const strides = { batch: tokens * dim, head: width, row: dim };
    setStack(AttentionArgs.query, AttentionArgs.queryStrides, query, { ...strides, batch: 0 });
    setStack(AttentionArgs.key, AttentionArgs.keyStrides, key + at, strides);
    setStack(AttentionArgs.value, AttentionArgs.valueStrides, value + at, strides);
    words[AttentionArgs.windowLeft] = -1;
    words[AttentionArgs.windowRight] = -1;
    floats[AttentionArgs.scale] = scale;
    setMask(inputs.mask, tokens);
    steps.attention();
    return output;
  };
  /** The mean of tokens that are not padding: all scores are 0. */
  const meanOf = (from?: number): number => attendOnce(1, 0, hidden.address, hidden.address, hidden.address, from);
  /** As a layer without norm1, whose query is always the same and not added. */
  const attentionPooled = ({ probe, query, key, value, output, norm2, up, down }: AttentionPooler): number => {
    const [q, k, v] = [dim, batch * tokens * dim, batch * tokens * dim].map((count) => layout.floats(count));
    linear(probe, query, q!, 1);
    linear(hidden.address, key, k!);
    linear(hidden.address, value, v!);
    const [attended, normed, fed] = [0, 0, 0].map(() => layout.floats(batch * dim));
    linear(attendOnce(a.heads, 1 / Math.sqrt(a.headDim), q!, k!, v!), output, attended!, batch);
    norm(attended!, norm2!, normed!, batch);
    const activation = activations.indexOf(a.activation);
    steps.feedForward(normed!, { up, down, gated: a.gated, activation }, fed!, batch);
    steps.add(attended!, fed!, fed!, batch, dim);
    return fed!;
  };
  const placed = (address: number, width = dim): Place => ({ address, shape: [batch, width] });
  let pooled: Place | undefined;
  if (attentionPooler) {
    pooled = placed(attentionPooled(attentionPooler));
  } else if (pooler) {
    pooled = placed(layout.floats(batch * pooler.outputs), pooler.outputs);
    linear(rowsOf('first'), pooler, pooled.address, batch);
    activate(pooled.address, poolerActivation, batch, pooler.outputs);
  } else if (pools) {
    pooled = placed(rowsOf(pools));
    if (poolerNorm) norm(pooled.address, poolerNorm, pooled.address, batch);
  }
  let embeds: Place | undefined;
  if (projection && pooled) {
    embeds = placed(layout.floats(batch * projection.outputs), projection.outputs);
    linear(pooled.address, projection, embeds.address, batch);
  }
  if (!head) return { pooled, embeds, logits: undefined };
  const { reads, map, activation, decoder, also, scale = 1, softcap = 0 } = head;
  const isEach = reads === 'each';
  const count = isEach && !lastOnly ? batch * tokens : batch;
  const read = (reading: Reading): number => {
    if (reading === 'pooled') return pooled!.address;
    if (reading === 'mean') return meanOf();
    if (reading === 'patches') return meanOf(countOf(pictures!.specials));
    if (reading === 'each') return lastOnly ? rowsOf('last') : hidden.address;
    return reading === 'second' ? rowsOf('first', 1) : rowsOf(reading);
  };
  let x = read(reads);
  if (map) {
    const mapped = layout.floats(count * map.outputs);
    linear(x, map, mapped, count);
    if (activation) activate(mapped, activation, count, map.outputs);
    if (head.norm) norm(mapped, head.norm, mapped, count, map.outputs);
    x = mapped;
  }
  const address = layout.floats(count * decoder.outputs);
  linear(x, decoder, address, count);
  if (also) {
    const more = layout.floats(count * decoder.outputs);
    linear(read(also.reads), also.decoder, more, count);
    steps.add(address, more, address, count, decoder.outputs);
  }
  if (scale !== 1 || softcap > 0) steps.scale(address, scale, softcap, count, decoder.outputs);
  const rows = isEach ? [lastOnly ? 1 : tokens] : [];
  const columns = head.isScalar ? [] : [decoder.outputs];
  return { pooled, embeds, logits: { address, shape: [batch, ...rows, ...columns] } };
}
