import { checkOptions, type Known } from '../../check/options.js';
import { checkBoolean, checkInteger, checkNonNegative, wrongValue } from '../../check/values.js';
import { constantSpec, type ParameterSpec } from '../base/specs.js';

/** Options of a layer's heads. */
export interface HeadOptions {
  /** E, the width of a head: projections map numHiddens to numHeads·headDim and back. Default numHiddens/numHeads. */
  headDim?: number;
  /** Hkv, the number of key/value heads, for grouped-query attention. A divisor of `numHeads`; default `numHeads`. */
  numKvHeads?: number;
  /**
   * RMSNorm of each head's queries and keys before they are rotated, with weights `q_norm.weight` and `k_norm.weight`
   * (headDim,). Default false; eps is 1e-6 by default.
   */
  qkNorm?: boolean | { eps?: number };
}

/** Which of the projections have a bias. */
export interface ProjectionBiases {
  query?: boolean;
  key?: boolean;
  value?: boolean;
  output?: boolean;
}

export interface HeadShape {
  readonly heads: number;
  readonly kvHeads: number;
  /** The width of a head. */
  readonly width: number;
  /** Undefined if queries and keys are not normed. */
  readonly normEps: number | undefined;
}

const NORM_OPTIONS: Known<{ eps?: number }> = { eps: 1 };
const BIASES: Known<ProjectionBiases> = { query: 1, key: 1, value: 1, output: 1 };

/** Checks an option that is the size of an axis. */
export function checkSize(operation: string, name: string, value: unknown): number {
  return checkInteger(operation, name, value, 1, 2 ** 24);
}

/** Checks the sizes and the norm of a layer's heads. */
export function checkHeads(
  operation: string,
  given: HeadOptions & { numHeads: number },
  numHiddens: number,
): HeadShape {
  const heads = checkSize(operation, 'numHeads', given.numHeads);
  const kvHeads = checkSize(operation, 'numKvHeads', given.numKvHeads ?? heads);
  if (given.headDim == null && numHiddens % heads !== 0)
    wrongValue(operation, `numHeads to divide numHiddens (${numHiddens})`, heads);
  const width = checkSize(operation, 'headDim', given.headDim ?? numHiddens / heads);
  checkSize(operation, 'numHeads·headDim', heads * width);
  if (heads % kvHeads !== 0) wrongValue(operation, `numKvHeads to divide numHeads (${heads})`, kvHeads);
  return { heads, kvHeads, width, normEps: checkNorm(operation, given.qkNorm) };
}

function checkNorm(operation: string, given: HeadOptions['qkNorm']): number | undefined {
  if (given == null || typeof given !== 'object') {
    return given != null && checkBoolean(operation, 'qkNorm', given) ? 1e-6 : undefined;
  }
  const { eps } = checkOptions(operation, given, NORM_OPTIONS, 'options of qkNorm');
  return checkNonNegative(operation, 'qkNorm.eps', eps ?? 1e-6);
}

/** Checks the option `bias`; returns which projections have one. */
export function checkBiases(
  operation: string,
  given: boolean | ProjectionBiases | undefined,
  byDefault: boolean,
): Required<ProjectionBiases> {
  if (given == null || typeof given !== 'object') {
    const all = given == null ? byDefault : checkBoolean(operation, 'bias', given);
    return { query: all, key: all, value: all, output: all };
  }
  const biases = checkOptions(operation, given, BIASES, 'options of bias');
  const has = (name: keyof ProjectionBiases): boolean =>
    biases[name] != null && checkBoolean(operation, `bias.${name}`, biases[name]);
  return { query: has('query'), key: has('key'), value: has('value'), output: has('output') };
}

/** The weights of the norms of queries and keys, if there are any. */
export function headNormSpecs(prefix: string, { width, normEps }: HeadShape): ParameterSpec[] {
  if (normEps === undefined) return [];
  return ['q_norm', 'k_norm'].map((name) => constantSpec(`${prefix}${name}.weight`, [width], 1));
}
