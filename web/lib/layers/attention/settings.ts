import { checkOptions, type Known } from '../../check/options.js';
import { checkProbability } from '../../check/values.js';
import { checkMatrixType } from '../../check/weightType.js';
import { ROTARY_OPTIONS } from '../../ops/rotary/options.js';
import { seedOf } from '../base/random.js';
import { linearSpecs, type ParameterSpec } from '../base/specs.js';
import { checkBiases, checkHeads, checkSize, headNormSpecs, type HeadShape } from './headOptions.js';
import { rotaryPositions, type RotaryPositioning } from './rotaryPositions.js';
import type { MultiHeadAttentionOptions } from './types.js';

const OPTIONS: Known<MultiHeadAttentionOptions> = {
  numHiddens: 1,
  numHeads: 1,
  dropout: 1,
  bias: 1,
  querySize: 1,
  keySize: 1,
  valueSize: 1,
  numKvHeads: 1,
  headDim: 1,
  qkNorm: 1,
  rotary: ROTARY_OPTIONS,
  weightType: 1,
  seed: 1,
};

/** The checked options of a layer. */
export interface MultiHeadSettings {
  readonly numHiddens: number;
  readonly heads: HeadShape;
  /** Dq, Dk, Dv */
  readonly inputs: readonly [number, number, number];
  readonly dropout: number;
  readonly rotary: RotaryPositioning | undefined;
  readonly seed: number;
  /** Its number in C++. */
  readonly weightType: number;
  readonly specs: readonly ParameterSpec[];
}

/** Checks the options of a layer. */
export function settingsOf(operation: string, options: MultiHeadAttentionOptions): MultiHeadSettings {
  const given = checkOptions(operation, options, OPTIONS);
  const numHiddens = checkSize(operation, 'numHiddens', given.numHiddens);
  const shape = checkHeads(operation, given, numHiddens);
  const { heads, kvHeads, width } = shape;
  const bias = checkBiases(operation, given.bias, false);
  const dropout = given.dropout === undefined ? 0 : checkProbability(operation, 'dropout', given.dropout);
  const seed = seedOf(operation, given.seed);
  const inputs = [
    checkSize(operation, 'querySize', given.querySize ?? numHiddens),
    checkSize(operation, 'keySize', given.keySize ?? numHiddens),
    checkSize(operation, 'valueSize', given.valueSize ?? numHiddens),
  ] as const;
  const rotary = given.rotary == null ? undefined : rotaryPositions(operation, given.rotary, width);
  const weightType = checkMatrixType(operation, 'weightType', given.weightType);
  const kvWidth = kvHeads * width;
  const specs = [
    ...linearSpecs('W_q', heads * width, inputs[0], bias.query, seed, 0),
    ...linearSpecs('W_k', kvWidth, inputs[1], bias.key, seed, 2),
    ...linearSpecs('W_v', kvWidth, inputs[2], bias.value, seed, 4),
    ...linearSpecs('W_o', numHiddens, heads * width, bias.output, seed, 6),
    ...headNormSpecs('', shape),
  ];
  return { numHiddens, heads: shape, inputs, dropout, rotary, seed, weightType, specs };
}
