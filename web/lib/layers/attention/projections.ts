import * as M from '../../generated/bindings/multiHeadAttentionArgs.js';
import * as P from '../../generated/bindings/projection.js';
import { within, words } from '../../runtime/args.js';
import type { Memory } from '../../runtime/memory.js';
import type { Tensor } from '../../types.js';
import type { Parameters } from '../base/parameters.js';
import type { HeadSizes } from './heads.js';
import type { Inputs } from './inputs.js';

/** C++'s Projection: addresses and sizes. */
export interface Projection {
  readonly input: number;
  readonly packed: number;
  readonly bias: number;
  readonly output: number;
  readonly rows: number;
  readonly inputs: number;
  readonly outputs: number;
  readonly weightType: number;
}

export type Projections = readonly [query: Projection, key: Projection, value: Projection, output: Projection];

/**
 * Copies queries, keys and values in, each tensor once, and reserves memory for the results of the four projections.
 * The output overwrites the projected queries, unless it is wider or `keeps` says that these are needed later.
 */
export function placeProjections(
  memory: Memory,
  parameters: Parameters,
  [q, k, v]: Inputs,
  { heads, kvHeads, width }: HeadSizes,
  numHiddens: number,
  keeps: boolean,
): Projections {
  const headsWidth = heads * width;
  const kvWidth = kvHeads * width;
  const placed = new Map<Float32Array, number>();
  const place = (data: Float32Array): number => {
    if (!placed.has(data)) placed.set(data, memory.floats(data));
    return placed.get(data)!;
  };
  const linear = (
    name: string,
    input: number,
    output: number,
    rows: number,
    inputs: number,
    outputs: number,
  ): Projection => {
    const packed = parameters.packed(`${name}.weight`);
    const bias = parameters.address(`${name}.bias`);
    const { weightType } = parameters;
    return { input, packed, bias, output, rows, inputs, outputs, weightType };
  };
  const project = (name: string, { data, shape }: Tensor, outputs: number): Projection => {
    const rows = shape[0]! * shape[1]!;
    return linear(name, place(data), memory.reserve(rows * outputs), rows, shape[2]!, outputs);
  };
  const query = project('W_q', q, headsWidth);
  const key = project('W_k', k, kvWidth);
  const value = project('W_v', v, kvWidth);
  const attended = memory.reserve(query.rows * headsWidth);
  const apart = keeps || numHiddens > headsWidth;
  const output = apart ? memory.reserve(query.rows * numHiddens) : query.output;
  return [query, key, value, linear('W_o', attended, output, query.rows, headsWidth, numHiddens)];
}

/** Sets the projections in C++'s MultiHeadAttentionArgs. */
export function setProjections(projections: Projections): void {
  [M.query, M.key, M.value, M.output].forEach((at, i) => {
    const { input, packed, bias, output, rows, inputs, outputs, weightType } = projections[i]!;
    words[within(at, P.input)] = input;
    words[within(at, P.packed)] = packed;
    words[within(at, P.bias)] = bias;
    words[within(at, P.output)] = output;
    words[within(at, P.rows)] = rows;
    words[within(at, P.inputs)] = inputs;
    words[within(at, P.outputs)] = outputs;
    words[within(at, P.weightType)] = weightType;
  });
}
