/** A cache that is filled, truncated, reordered and filled again, compared with the tokens that its rows have seen. */
import type { Tensor, TensorLike } from 'wasm-attention';
import { multiHeadAttention } from '../reference/multiHeadAttention.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { tokens } from '../support/tokens.js';
import type { Case } from './cases.js';
import type { Draw, Drawn } from './draw.js';
import type { State } from './layerRun.js';
import { attention } from './watched.js';

/** The rows of a batch, possibly repeated. */
function rowsOf({ data, shape }: Drawn, order: readonly number[]): Drawn {
  const size = data.length / shape[0]!;
  const rows = order.flatMap((row) => [...data.subarray(row * size, (row + 1) * size)]);
  return { data: Float32Array.from(rows), shape: [order.length, ...shape.slice(1)] };
}

function joined(a: Drawn, b: Drawn): Drawn {
  const [batch, n, width] = a.shape as [number, number, number];
  const rows = Array.from({ length: batch }, (_, row) => [a, b].flatMap((part) => [...rowsOf(part, [row]).data]));
  return { data: Float32Array.from(rows.flat()), shape: [batch, n + b.shape[1]!, width] };
}

export const cacheCases = {
  KeyValueCache(draw: Draw): Case {
    const [numKvHeads, group] = [draw.integer(1, 2), draw.integer(1, 2)];
    const numHeads = numKvHeads * group;
    const numHiddens = numHeads * 2;
    const [batch, before, after] = [draw.integer(1, 4), draw.axis(), draw.axis()];
    const [first, next] = [draw.numbers([batch, before, numHiddens]), draw.numbers([batch, after, numHiddens])];
    const kept = draw.integer(0, before);
    const order = Array.from({ length: batch }, () => draw.integer(0, batch - 1));
    const sizes = { numHiddens, numHeads, numKvHeads, seed: 1 };
    const turned = draw.chance(0.3);
    return {
      args: [
        { ...sizes, ...(turned && { rotary: {} }) },
        { batch, maxLength: before + after },
        draw.form(first),
        kept,
        draw.pick([order, Int32Array.from(order)]),
        draw.form(next),
      ],
      names: ['MultiHeadAttention', 'createCache'],
      call: (
        given: typeof sizes,
        room: { batch: number; maxLength: number },
        x: TensorLike,
        length: number,
        rows: number[],
        y: TensorLike,
      ) => {
        const layer = new attention.MultiHeadAttention(given);
        try {
          const cache = layer.createCache(room);
          try {
            layer.forward(x, x, x, { cache });
            cache.truncate(length);
            cache.reorder(rows);
            const { output } = layer.forward(y, y, y, { cache, isCausal: true });
            return { state: layer.stateDict(), output, length: cache.length };
          } finally {
            cache.dispose();
          }
        } finally {
          layer.dispose();
        }
      },
      check({ state, output, length }: { state: State; output: Tensor; length: number }) {
        const seen = joined(rowsOf(tokens(first, 0, kept), order), next);
        const rotary = turned && { rotary: { queries: {}, keys: {} } };
        const expected = multiHeadAttention(
          seen,
          seen,
          seen,
          { numHeads, numKvHeads, state, ...rotary },
          { isCausal: true },
        );
        const { data, shape } = expected.output;
        const last = tokens({ data: Float32Array.from(data), shape: [...shape] }, kept, kept + after);
        // As in modelCases.ts.
        expectClose(output, last, { atol: 64 * EPS * Math.max(5, maxAbs(data)) });
        if (length !== kept + after) throw new Error(`expected ${kept + after} tokens, got ${length}`);
      },
    };
  },
};
