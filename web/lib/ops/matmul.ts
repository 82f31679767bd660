import { toTensorOfRank } from '../check/arrays.js';
import { showShape, sizeOf, wrongValue } from '../check/values.js';
import * as MatmulArgs from '../generated/bindings/matmulArgs.js';
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
    words[MatmulArgs.a] = memory.floats(left.data);
    words[MatmulArgs.b] = memory.floats(right.data);
    const out = (words[MatmulArgs.out] = memory.reserve(sizeOf(shape)));
    words[MatmulArgs.outer] = outer;
    words[MatmulArgs.inner] = inner;
    words[MatmulArgs.rows] = rows;
    words[MatmulArgs.depth] = depth;
    words[MatmulArgs.cols] = cols;
    // An axis of 1 is broadcast.
    words[MatmulArgs.aOuter] = aOuter > 1 ? aInner * rows * depth : 0;
    words[MatmulArgs.aInner] = aInner > 1 ? rows * depth : 0;
    words[MatmulArgs.bOuter] = bOuter > 1 ? bInner * depth * cols : 0;
    words[MatmulArgs.bInner] = bInner > 1 ? depth * cols : 0;
    // An empty result may have billions of products to loop over.
    if (sizeOf(shape) > 0) memory.run(raw.matmul);
    return memory.tensor(out, shape);
  });
}

/** (outer, inner, rows, columns), with ones before the axes of a lower rank. */
function axesOf({ shape }: Tensor): [number, number, number, number] {
  return [1, 1, ...shape].slice(-4) as [number, number, number, number];
}
