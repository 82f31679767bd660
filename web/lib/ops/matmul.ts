import { toTensorOfRank } from '../check/arrays.js';
import { showShape, sizeOf, wrongValue } from '../check/values.js';
import * as M from '../generated/bindings/matmulArgs.js';
import { clearArgs, words } from '../runtime/args.js';
import type { Wasm } from '../runtime/wasm.js';
import type { Tensor, TensorLike } from '../types.js';

const OPERATION = 'matmul';

/** See `WasmAttention.matmul`. */
export function matmul({ raw, memory }: Wasm, a: TensorLike, b: TensorLike): Tensor {
  const left = toTensorOfRank(OPERATION, 'a', a, 2, 3, 4);
  const right = toTensorOfRank(OPERATION, 'b', b, 2, 3, 4);
  const [aOuter, aInner, rows, depth] = axesOf(left);
  const [bOuter, bInner, inputs, cols] = axesOf(right);
  const both = `shapes ${showShape(left.shape)} and ${showShape(right.shape)}`;
  if (inputs !== depth) wrongValue(OPERATION, 'b with as many rows as a has columns', both);
  const together = (m: number, n: number): number => {
    if (m !== n && m !== 1 && n !== 1) wrongValue(OPERATION, 'leading axes that are equal, or 1', both);
    return m === 1 ? n : m;
  };
  const [outer, inner] = [together(aOuter, bOuter), together(aInner, bInner)];
  const rank = Math.max(left.shape.length, right.shape.length);
  const shape = [outer, inner, rows, cols].slice(-rank);
  return memory.scope(OPERATION, () => {
    clearArgs();
    words[M.a] = memory.floats(left.data);
    words[M.b] = memory.floats(right.data);
    const out = (words[M.out] = memory.reserve(sizeOf(shape)));
    words[M.outer] = outer;
    words[M.inner] = inner;
    words[M.rows] = rows;
    words[M.depth] = depth;
    words[M.cols] = cols;
    // An axis of 1 is not stepped along.
    words[M.aOuter] = aOuter > 1 ? aInner * rows * depth : 0;
    words[M.aInner] = aInner > 1 ? rows * depth : 0;
    words[M.bOuter] = bOuter > 1 ? bInner * depth * cols : 0;
    words[M.bInner] = bInner > 1 ? depth * cols : 0;
    // There may be billions of products of nothing.
    if (sizeOf(shape) > 0) memory.run(raw.matmul);
    return memory.tensor(out, shape);
  });
}

/** (outer, inner, rows, columns), with ones before the axes of a lower rank. */
function axesOf({ shape }: Tensor): [number, number, number, number] {
  return [1, 1, ...shape].slice(-4) as [number, number, number, number];
}
