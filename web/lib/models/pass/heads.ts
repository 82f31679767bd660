/** What comes after the layers: logits, the pooled vector and its projection. */
import * as AttentionArgs from '../../generated/bindings/attentionArgs.js';
import { activations } from '../../generated/bindings/enums.js';
import { floats, setStack, words } from '../../runtime/args.js';
import { setHeads } from '../../steps/attend.js';
import type { Matrix } from '../../steps/steps.js';
import type { Architecture, Reading, VectorActivation } from '../config/architecture.js';
import { countOf } from '../config/pictures.js';
import type { AttentionPooler, HeadWeights, ModelWeights, NormWeights } from '../weights/types.js';
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
    activate(steps, pooled.address, poolerActivation, batch, pooler.outputs);
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
  const { reads, decoder, also } = head;
  const isEach = reads === 'each';
  const count = isEach && !lastOnly ? batch * tokens : batch;
  const read = (reading: Reading): number => {
    if (reading === 'pooled') return pooled!.address;
    if (reading === 'mean') return meanOf();
    if (reading === 'patches') return meanOf(countOf(pictures!.specials));
    if (reading === 'each') return lastOnly ? rowsOf('last') : hidden.address;
    return reading === 'second' ? rowsOf('first', 1) : rowsOf(reading);
  };
  const address = predict(a, head, read(reads), count, layout, steps, (logits) => {
    if (!also) return;
    const more = layout.floats(count * decoder.outputs);
    linear(read(also.reads), also.decoder, more, count);
    steps.add(logits, more, logits, count, decoder.outputs);
  });
  const rows = isEach ? [lastOnly ? 1 : tokens] : [];
  const columns = head.isScalar ? [] : [decoder.outputs];
  return { pooled, embeds, logits: { address, shape: [batch, ...rows, ...columns] } };
}

/**
 * Appends the steps from what a head reads to its logits; returns their address.
 *
 * @param change appends steps before logits are scaled
 */
export function predict(
  { norm: kind, eps }: Pick<Architecture, 'norm' | 'eps'>,
  { map, activation, norm, decoder, scale = 1, softcap = 0 }: HeadWeights,
  x: number,
  count: number,
  layout: Pick<Layout, 'floats'>,
  steps: ModelSteps,
  change?: (logits: number) => void,
): number {
  let read = x;
  if (map) {
    read = layout.floats(count * map.outputs);
    steps.linear(x, map, read, count);
    if (activation) activate(steps, read, activation, count, map.outputs);
    if (norm) steps.norm(read, { kind, eps, ...norm }, read, count, map.outputs);
  }
  const logits = layout.floats(count * decoder.outputs);
  steps.linear(read, decoder, logits, count);
  change?.(logits);
  if (scale !== 1 || softcap > 0) steps.scale(logits, scale, softcap, count, decoder.outputs);
  return logits;
}

function activate(steps: ModelSteps, x: number, activation: VectorActivation, count: number, width: number): void {
  if (activation === 'tanh') steps.scale(x, 1, 1, count, width);
  else steps.activate(x, activation, count, width);
}
