import { offset, sizeOf, zeros, type Numbers, type Reference } from './tensor.js';

/** The element of x at the end of this index; an axis of 1 has one element for any index. */
function at({ data, shape }: Numbers, index: readonly number[]): number {
  const own = index.slice(-shape.length).map((i, axis) => (shape[axis] === 1 ? 0 : i));
  return data[offset(shape, own)]!;
}

/** (…, L, E) times (…, E, S); leading axes broadcast. */
export function matmul(a: Numbers, b: Numbers): Reference {
  const rank = Math.max(a.shape.length, b.shape.length);
  const [left, right] = [a, b].map(({ shape }) => [...Array<number>(rank - shape.length).fill(1), ...shape]);
  const [rows, cols] = [left!.at(-2)!, right!.at(-1)!];
  const depth = left!.at(-1)!;
  const leading = left!.slice(0, -2).map((axis, i) => (axis === 1 ? right![i]! : axis));
  const product = zeros(...leading, rows, cols);
  for (let i = 0; i < product.data.length; ++i) {
    const stack: number[] = [];
    let rest = Math.floor(i / (rows * cols));
    for (const axis of [...leading].reverse()) {
      stack.unshift(rest % axis);
      rest = Math.floor(rest / axis);
    }
    const [row, col] = [Math.floor(i / cols) % rows, i % cols];
    for (let k = 0; k < depth; ++k) {
      product.data[i]! += at(a, [...stack, row, k]) * at(b, [...stack, k, col]);
    }
  }
  if (sizeOf(product.shape) !== product.data.length) throw new Error('a product of another shape');
  return product;
}
