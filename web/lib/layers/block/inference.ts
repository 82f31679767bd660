import { attend } from '../../steps/attend.js';
import { runSteps, type Norm } from '../../steps/steps.js';
import type { AttentionResult, Tensor } from '../../types.js';
import { joinedRows, mapsOf } from './parameters.js';
import type { AttentionPart, Block, BlockPass, BlockResult } from './training.js';

/** XORed with the seed of dropout at each place, as in cpp/layers/block_steps.h. */
const PLACES = { attended: 0x85ebca6b, hidden: 0x27d4eb2f, fed: 0xc2b2ae35, crossed: 0x165667b1 };

/** Computes the output for x (B, L, D) and attention's requested results, step by step. */
export function inferBlock(
  operation: string,
  block: Block,
  pass: BlockPass,
  { data, shape: inputShape }: Tensor,
  into: Float32Array | undefined,
): BlockResult {
  const { wasm, parameters, steps, shape, preNorm, eps } = block;
  const { memory } = wasm;
  const { batch, length } = pass;
  const rows = batch * length;
  const width = shape.numHiddens;
  return memory.scope(operation, () => {
    let x = memory.floats(data);
    const normed = memory.reserve(data.length);
    steps.clear();
    const dropoutAt = (place: keyof typeof PLACES) =>
      pass.dropout && { ...pass.dropout, seed: (pass.dropout.seed ^ PLACES[place]) >>> 0 };
    /** x + f(x), with the norm before f or after the sum. */
    const sublayer = (name: string, place: keyof typeof PLACES, f: (x: number, out: number) => void): void => {
      const kind = shape.rms ? 'rms' : 'layer';
      const [weight, bias] = [parameters.address(`${name}.weight`), parameters.address(`${name}.bias`)];
      const norm = (x: number, out: number): void => steps.norm(x, { kind, weight, bias, eps }, out, rows, width);
      const sum = memory.reserve(data.length);
      if (preNorm) norm(x, normed);
      f(preNorm ? normed : x, sum);
      steps.add(x, sum, sum, rows, width, dropoutAt(place));
      if (!preNorm) norm(sum, sum);
      x = sum;
    };
    const readers: ((result: AttentionResult) => void)[] = [];
    /** Attention to `source`, or if that is 0, to the tokens in the cache. */
    const attention = (name: string, part: AttentionPart, source: number, tokens: number, x: number, out: number) => {
      const { heads, kvHeads, width, normEps } = shape.heads;
      const { queries, all } = joinedRows(shape.heads);
      const keys = kvHeads * width;
      const project = (x: number, count: number, first: number, end: number): number => {
        const projected = memory.reserve(count * (end - first));
        const matrix = parameters.matrix(`${name}.in_proj_weight`, `${name}.in_proj_bias`, first, end);
        if (count > 0) steps.linear(x, matrix, projected, count);
        return projected;
      };
      const to = {
        query: project(x, rows, 0, queries),
        key: project(source, batch * tokens, queries, queries + keys),
        value: project(source, batch * tokens, queries + keys, all),
        output: memory.reserve(rows * queries),
      };
      const headNorm = (norm: string): Norm => ({
        kind: 'rms',
        weight: parameters.address(`${name}.${norm}.weight`),
        bias: 0,
        eps: normEps!,
      });
      attend(steps, {
        sizes: { batch, heads, kvHeads, queries: length, keys: part.keys, width },
        rows: to,
        tokens,
        norms: normEps === undefined ? undefined : { query: headNorm('q_norm'), key: headNorm('k_norm'), to },
        rotation: part.rotation?.(wasm),
        cache: part.past.place(memory),
        setOptions: () => {
          part.plan.place(memory);
          readers.push(part.placeRequested(memory));
        },
      });
      steps.linear(to.output, parameters.matrix(`${name}.out_proj.weight`, `${name}.out_proj.bias`), out, rows);
    };

    sublayer('norm1', 'attended', (x, out) => attention('self_attn', pass.self, x, length, x, out));
    const { cross } = pass;
    if (cross) {
      const source = cross.memory ? memory.floats(cross.memory.data) : 0;
      const tokens = cross.memory ? cross.keys : 0;
      sublayer('norm2', 'crossed', (x, out) => attention('multihead_attn', cross, source, tokens, x, out));
    }
    const [first, second] = mapsOf(shape);
    const up = parameters.matrix(`${first}.weight`, `${first}.bias`);
    const down = parameters.matrix(`${second}.weight`, `${second}.bias`);
    const { gated } = shape;
    sublayer(cross ? 'norm3' : 'norm2', 'fed', (x, out) =>
      steps.feedForward(x, { up, down, gated, activation: block.activation }, out, rows, dropoutAt('hidden')),
    );
    runSteps(wasm, steps.place(memory), steps.bytes);

    const self: AttentionResult = { output: memory.tensor(x, inputShape, into) };
    readers[0]!(self);
    const result = cross && { output: self.output };
    if (result) readers[1]!(result);
    return { self, cross: result, kept: undefined };
  });
}
