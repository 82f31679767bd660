import { toTensor } from '../../check/arrays.js';
import { checkOptions } from '../../check/options.js';
import { checkFinite, checkShape, showShape, wrongValue } from '../../check/values.js';
import { ARGS } from '../../runtime/args.js';
import { orOutOfMemory, part, rowsAtOnce } from '../../runtime/memory.js';
import type { Wasm } from '../../runtime/wasm.js';
import { setRotary } from '../../steps/steps.js';
import type { Tensor, TensorLike } from '../../types.js';
import { checkRotary, ROTARY_OPTIONS, type RotaryAngles, type RotaryOptions } from './options.js';
import { checkPositions, type RotaryPositions } from './positions.js';

/** Rotates the rows of x (…, n, d) with one of the two kernels. */
export function rotate(
  operation: 'rotaryEmbedding' | 'rotaryEmbeddingBackward',
  wasm: Wasm,
  name: string,
  x: TensorLike,
  options: RotaryOptions | undefined,
): Tensor {
  const { raw, memory } = wasm;
  const given = checkOptions(operation, options, ROTARY_OPTIONS);
  const { data, shape } = toTensor(operation, name, x);
  if (shape.length < 2) wrongValue(operation, `${name} of rank 2 or more`, `shape ${showShape(shape)}`);
  const [rows, width] = shape.slice(-2) as [number, number];
  const angles = checkRotary(operation, given, width);
  const { positions, sequences } = positionsOf(operation, given, shape, angles);
  const place = angles.check(operation, positions);

  const { rotaryDim, interleaved } = angles;
  // In pieces, because the result may be larger than wasm memory.
  const result = orOutOfMemory(operation, 4 * data.length, () => new Float32Array(data.length));
  if (data.length === 0) return { data: result, shape: [...shape] };
  const matrices = data.length / (rows * width);
  const heads = matrices / sequences;
  // A piece is several heads, or part of a long one.
  const mostRows = rowsAtOnce(rows, width);
  const mostHeads = rowsAtOnce(heads, rows * width);
  memory.scope(operation, () => {
    const tables = place(wasm, positions);
    const piece = memory.reserve(mostHeads * mostRows * width);
    const args = memory.args();
    for (let matrix = 0, count; matrix < matrices; matrix += count) {
      // The heads of a piece share a table, so they have to belong to one sequence.
      count = Math.min(mostHeads, heads - (matrix % heads));
      const table = tables + 4 * Math.floor(matrix / heads) * rows * rotaryDim;
      for (let row = 0; row < rows; row += mostRows) {
        const rowCount = Math.min(mostRows, rows - row);
        const from = (matrix * rows + row) * width;
        const to = from + count * rowCount * width;
        memory.write(piece, part(data, from, to));
        const sizes = { batch: 1, tokens: rowCount, heads: count, width };
        const rotary = { table: table + 4 * row * rotaryDim, tableBatch: 0, rotaryWidth: rotaryDim, interleaved };
        setRotary(piece, sizes, rotary, { batch: 0, head: rowCount * width, row: width });
        memory.writeInts(args, ARGS);
        raw[operation](args);
        memory.read(piece, to - from, part(result, from, to));
      }
    }
  });
  return { data: result, shape: [...shape] };
}

/** The position of each row, sequence after sequence, or for a single sequence if all share them. */
function positionsOf(
  operation: string,
  { offset, positions }: RotaryOptions,
  shape: readonly number[],
  { tables, axes }: RotaryAngles,
): { positions: RotaryPositions; sequences: number } {
  const rows = shape.at(-2)!;
  const batch = shape.length > 2 ? shape[0]! : 1;
  if (tables?.length === 3) {
    if (positions !== undefined || offset !== undefined) {
      wrongValue(operation, 'tables for each token, or positions and offset', 'both');
    }
    const [sequences, , half] = tables as [number, number, number];
    checkShape(operation, 'cos and sin', tables, [batch, rows, half], [1, rows, half]);
    return { positions: { first: 0, count: sequences * rows }, sequences };
  }
  const first = offset === undefined ? 0 : checkFinite(operation, 'offset', offset);
  if (positions === undefined) return { positions: { first, count: rows }, sequences: 1 };
  return checkPositions(operation, positions, axes, { batch, rows, first });
}
