import { toTensorOfRank, toTensorOfShape } from '../check/arrays.js';
import { checkOptions, type Known } from '../check/options.js';
import { checkInteger, wrongValue } from '../check/values.js';
import * as Conv1dArgs from '../generated/bindings/conv1dArgs.js';
import { clearArgs, words } from '../runtime/args.js';
import type { Wasm } from '../runtime/wasm.js';
import type { Tensor, TensorLike } from '../types.js';

/** The options of `conv1d`. */
export interface Conv1dOptions {
  /** (Cout,); default none. */
  bias?: TensorLike;
  /** Tokens from one output to the next; default 1. */
  stride?: number;
  /** Zeros before and after the sequence; default 0. */
  padding?: number;
  /** Tokens from one tap of the kernel to the next; default 1. */
  dilation?: number;
  /**
   * Splits the channels into groups: group g of the outputs reads group g of the inputs. Divides both counts; default
   * 1.
   */
  groups?: number;
}

const OPERATION = 'conv1d';
const OPTIONS: Known<Conv1dOptions> = { bias: 1, stride: 1, padding: 1, dilation: 1, groups: 1 };

/** See `WasmAttention.conv1d`. */
export function conv1d({ raw, memory }: Wasm, x: TensorLike, weight: TensorLike, options?: Conv1dOptions): Tensor {
  const given = checkOptions(OPERATION, options, OPTIONS);
  const { stride = 1, padding = 0, dilation = 1, groups = 1 } = given;
  checkInteger(OPERATION, 'stride', stride, 1);
  checkInteger(OPERATION, 'padding', padding, 0);
  checkInteger(OPERATION, 'dilation', dilation, 1);
  checkInteger(OPERATION, 'groups', groups, 1);
  const input = toTensorOfRank(OPERATION, 'x', x, 3);
  const taps = toTensorOfRank(OPERATION, 'weight', weight, 3);
  const [batch, inChannels, length] = input.shape as [number, number, number];
  const [outChannels, inWidth, kernel] = taps.shape as [number, number, number];
  if (outChannels % groups !== 0) {
    wrongValue(OPERATION, `weight of a multiple of ${groups} output channels`, outChannels);
  }
  if (inWidth * groups !== inChannels) {
    wrongValue(OPERATION, `x of ${inWidth * groups} channels`, inChannels);
  }
  if (kernel === 0) wrongValue(OPERATION, 'a kernel of at least 1', kernel);
  const span = dilation * (kernel - 1) + 1;
  const padded = length + 2 * padding;
  if (padded >= 2 ** 31) wrongValue(OPERATION, 'a padded length below 2^31', padded);
  if (span > padded) wrongValue(OPERATION, `a kernel within the padded length (${padded})`, span);
  const bias = given.bias === undefined ? undefined : toTensorOfShape(OPERATION, 'bias', given.bias, [outChannels]);
  const outLength = raw.conv1dLength(length, kernel, stride, padding, dilation);
  const count = batch * outChannels * outLength;

  return memory.scope(OPERATION, () => {
    clearArgs();
    words[Conv1dArgs.x] = memory.floats(input.data);
    words[Conv1dArgs.weight] = memory.floats(taps.data);
    if (bias) words[Conv1dArgs.bias] = memory.floats(bias.data);
    const out = (words[Conv1dArgs.out] = memory.reserve(count));
    words[Conv1dArgs.batch] = batch;
    words[Conv1dArgs.inChannels] = inChannels;
    words[Conv1dArgs.outChannels] = outChannels;
    words[Conv1dArgs.length] = length;
    words[Conv1dArgs.kernel] = kernel;
    words[Conv1dArgs.stride] = stride;
    words[Conv1dArgs.padding] = padding;
    words[Conv1dArgs.dilation] = dilation;
    words[Conv1dArgs.groups] = groups;
    // An empty result may have billions of sequences to loop over.
    if (count > 0) memory.run(raw.conv1d);
    return memory.tensor(out, [batch, outChannels, outLength]);
  });
}
