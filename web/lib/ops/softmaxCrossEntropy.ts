import { checkOut, toFloat64, toTensorOfRank } from '../check/arrays.js';
import { checkOptions, type Known } from '../check/options.js';
import { checkInteger, checkShape, wrongValue } from '../check/values.js';
import type { Wasm } from '../runtime/wasm.js';
import type { FloatArray, Tensor, TensorLike } from '../types.js';

const OPERATION = 'softmaxCrossEntropy';

/** The options of `softmaxCrossEntropy`. */
export interface CrossEntropyOptions {
  /** Rows with this target are ignored. A whole number; default -100, as in PyTorch. */
  ignoreIndex?: number;
  /** Write into this array instead of a fresh one; it may be the array of the logits. */
  out?: { gradLogits?: FloatArray };
}

const OPTIONS: Known<CrossEntropyOptions> = { ignoreIndex: 1, out: { gradLogits: 1 } };

/** What `softmaxCrossEntropy` returns. */
export interface CrossEntropyResult {
  /** The mean over the rows that count; NaN if none does. */
  loss: number;
  /** The gradient of `loss`, with the shape of the logits; zeros in ignored rows. */
  gradLogits: Tensor;
}

/** See `WasmAttention.softmaxCrossEntropy`. */
export function softmaxCrossEntropy(
  { raw, memory }: Wasm,
  logits: TensorLike,
  targets: ArrayLike<number>,
  options?: CrossEntropyOptions,
): CrossEntropyResult {
  const { ignoreIndex = -100, out } = checkOptions(OPERATION, options, OPTIONS);
  checkInteger(OPERATION, 'ignoreIndex', ignoreIndex, -(2 ** 31));
  const { data, shape } = toTensorOfRank(OPERATION, 'logits', logits, 2);
  const [rows, classes] = shape as [number, number];
  const into = checkOut(OPERATION, 'out.gradLogits', out?.gradLogits, data.length);
  const given = toFloat64(OPERATION, 'targets', targets);
  checkShape(OPERATION, 'targets', given.shape, [rows]);
  // C++ ignores negative targets.
  const counted = new Int32Array(rows).fill(-1);
  for (let row = 0; row < rows; ++row) {
    const target = given.data[row]!;
    if (target === ignoreIndex) continue;
    if (!Number.isInteger(target) || target < 0 || target >= classes) {
      wrongValue(OPERATION, `targets within 0 … ${classes - 1}, or ${ignoreIndex}`, target);
    }
    counted[row] = target;
  }
  return memory.scope(OPERATION, () => {
    const placed = memory.floats(data);
    const loss = raw.softmaxCrossEntropy(placed, memory.ints(counted), placed, rows, classes);
    return { loss, gradLogits: memory.tensor(placed, shape, into) };
  });
}
