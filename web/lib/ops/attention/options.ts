import { toInt32, toMask, toTensor, toValidLens } from '../../check/arrays.js';
import { listOf } from '../../check/elements.js';
import type { Known } from '../../check/options.js';
import {
  checkBoolean,
  checkFinite,
  checkInteger,
  checkProbability,
  checkSeed,
  checkShape,
  wrongKind,
} from '../../check/values.js';
import * as AttentionArgs from '../../generated/bindings/attentionArgs.js';
import { floats, setStack, words } from '../../runtime/args.js';
import type { Memory } from '../../runtime/memory.js';
import type { AttentionOptions } from '../../types.js';
import { broadcast, checkPerHead, checkRelative } from './operands.js';
import { checkPacked, placePacked, type Packed } from './packed.js';

/** The sizes against which options are checked. `keys` includes past ones. */
export interface AttentionSizes {
  readonly batch: number;
  readonly heads: number;
  readonly queries: number;
  readonly keys: number;
  readonly width: number;
  readonly valueWidth: number;
  /** The number of past keys: the default offset. */
  readonly past: number;
  /** The shape of the scores for the caller: (L, S), (B, L, S) or (B, H, L, S). */
  readonly scoresShape: readonly number[];
}

const MAX_POSITION = 2 ** 30;

export const ATTENTION_OPTIONS: Known<AttentionOptions> = {
  validLens: 1,
  mask: 1,
  bias: 1,
  isCausal: 1,
  causalOffset: 1,
  window: 1,
  scale: 1,
  softcap: 1,
  pastKey: 1,
  pastValue: 1,
  relativeKeys: 1,
  relativeValues: 1,
  alibiSlopes: 1,
  sinks: 1,
  cuSeqlens: 1,
  dropout: 1,
  seed: 1,
  needWeights: 1,
  needScores: 1,
  needLogSumExp: 1,
  out: { output: 1, weights: 1 },
};

/** Checked options. `place` copies them into wasm memory, within a scope. */
export interface CheckedAttentionOptions {
  /** The shapes of the given options that have a gradient. */
  readonly differentiable: {
    readonly bias?: readonly number[];
    readonly relativeKeys?: readonly number[];
    readonly relativeValues?: readonly number[];
    readonly sinks?: readonly number[];
  };
  /** The position of query 0 among the keys: one for all sequences, or one for each. */
  readonly offset: number | Int32Array;
  readonly packed: Packed | undefined;
  place(memory: Memory): void;
}

/** Checks the options that change the output, against these sizes, before anything is copied. */
export function checkAttentionOptions(
  operation: string,
  options: AttentionOptions,
  sizes: AttentionSizes,
): CheckedAttentionOptions {
  const { batch, heads, queries, keys, width, valueWidth, scoresShape } = sizes;
  const [left, right] = checkWindow(operation, options);
  /** Checks an option if it is given. */
  const given = <K extends keyof AttentionOptions, A extends readonly unknown[], R>(
    name: K,
    check: (operation: string, name: K, value: NonNullable<AttentionOptions[K]>, ...rest: A) => R,
    ...rest: A
  ): R | undefined => {
    const value = options[name];
    return value == null ? undefined : check(operation, name, value, ...rest);
  };
  const scale = given('scale', checkFinite, false);
  const softcap = given('softcap', checkFinite, true);
  const dropout = given('dropout', checkProbability);
  const seed = given('seed', checkSeed);
  const lens = options.validLens == null ? undefined : toValidLens(operation, options.validLens, batch, queries, keys);
  const packed = checkPacked(operation, options, sizes);
  const offset = checkOffset(operation, options.causalOffset, packed ? packed.query.length - 1 : batch, sizes.past);
  const mask = given('mask', toMask);
  const maskStrides = mask && broadcast(operation, 'mask', mask.shape, scoresShape);
  const bias = given('bias', toTensor);
  const biasStrides = bias && broadcast(operation, 'bias', bias.shape, scoresShape);
  const relativeKeys = given('relativeKeys', checkRelative, heads, width);
  const relativeValues = given('relativeValues', checkRelative, heads, valueWidth);
  const slopes = given('alibiSlopes', checkPerHead, heads);
  const sinks = given('sinks', checkPerHead, heads);
  return {
    differentiable: {
      ...(bias && { bias: bias.shape }),
      ...(relativeKeys && { relativeKeys: relativeKeys.shape }),
      ...(relativeValues && { relativeValues: relativeValues.shape }),
      ...(sinks && { sinks: [heads] }),
    },
    offset,
    packed,
    place(memory) {
      words[AttentionArgs.windowLeft] = left;
      words[AttentionArgs.windowRight] = right;
      floats[AttentionArgs.scale] = scale ?? 1 / Math.sqrt(width || 1);
      floats[AttentionArgs.softcap] = softcap ?? 0;
      floats[AttentionArgs.dropout] = dropout ?? 0;
      words[AttentionArgs.seed] = seed ?? 0;
      if (lens) {
        const perQuery = lens.shape.length === 2;
        words[AttentionArgs.validLens] = memory.ints(lens.data);
        words[AttentionArgs.validBatch] = perQuery ? queries : 1;
        words[AttentionArgs.validRow] = perQuery ? 1 : 0;
      }
      if (packed) {
        words[AttentionArgs.packed] = placePacked(operation, memory, packed, offset);
      } else if (offset !== 0) {
        const offsets = typeof offset === 'number' ? new Int32Array(batch).fill(offset) : offset;
        words[AttentionArgs.offsets] = memory.ints(offsets);
      }
      if (mask) {
        setStack(AttentionArgs.mask, AttentionArgs.maskStrides, memory.bytes(mask.data), maskStrides!);
        words[AttentionArgs.maskColumns] = maskStrides!.columns;
        words[AttentionArgs.maskStep] = maskStrides!.step;
      }
      if (bias) {
        setStack(AttentionArgs.bias, AttentionArgs.biasStrides, memory.floats(bias.data), biasStrides!);
        words[AttentionArgs.biasColumns] = biasStrides!.columns;
        words[AttentionArgs.biasStep] = biasStrides!.step;
      }
      if (relativeKeys) {
        words[AttentionArgs.relativeKeys] = memory.floats(relativeKeys.data);
        words[AttentionArgs.relativeKeysHead] = relativeKeys.head;
        words[AttentionArgs.relativeKeysClip] = relativeKeys.clip;
      }
      if (relativeValues) {
        words[AttentionArgs.relativeValues] = memory.floats(relativeValues.data);
        words[AttentionArgs.relativeValuesHead] = relativeValues.head;
        words[AttentionArgs.relativeValuesClip] = relativeValues.clip;
      }
      if (slopes) words[AttentionArgs.alibiSlopes] = memory.floats(slopes);
      if (sinks) words[AttentionArgs.sinks] = memory.floats(sinks);
    },
  };
}

/** The window; `isCausal` closes its right side. */
function checkWindow(
  operation: string,
  { window, isCausal }: AttentionOptions,
): readonly [left: number, right: number] {
  let left = -1;
  let right = -1;
  if (window != null) {
    const sides = typeof window === 'number' ? [window, window] : listOf(window);
    if (sides?.length !== 2) {
      wrongKind(operation, 'window to be a number or [left, right]', window);
    }
    [left, right] = sides.map((side) => checkInteger(operation, 'window', side, -1)) as [number, number];
  }
  if (isCausal != null && checkBoolean(operation, 'isCausal', isCausal)) right = 0;
  return [left, right];
}

/** The offset; by default the number of past keys. */
function checkOffset(
  operation: string,
  value: AttentionOptions['causalOffset'],
  batch: number,
  past: number,
): number | Int32Array {
  if (value == null || typeof value === 'number') {
    return checkInteger(operation, 'causalOffset', value ?? past, -MAX_POSITION, MAX_POSITION);
  }
  const { data, shape } = toInt32(operation, 'causalOffset', value, -MAX_POSITION, MAX_POSITION);
  checkShape(operation, 'causalOffset to be a number or', shape, [batch]);
  return data;
}
