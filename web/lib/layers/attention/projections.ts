import type { Memory } from '../../runtime/memory.js';
import type { Matrix } from '../../steps/steps.js';
import type { Tensor } from '../../types.js';
import type { Parameters } from '../base/parameters.js';
import type { Inputs } from './inputs.js';

/** A linear map of rows at an address. */
export interface Projection {
  readonly x: number;
  readonly matrix: Matrix;
  readonly out: number;
  readonly rows: number;
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
  keeps: boolean,
): Projections {
  const placed = new Map<Float32Array, number>();
  const place = (data: Float32Array): number => {
    if (!placed.has(data)) placed.set(data, memory.floats(data));
    return placed.get(data)!;
  };
  const project = (name: string, { data, shape }: Tensor): Projection => {
    const matrix = parameters.matrix(`${name}.weight`, `${name}.bias`);
    const rows = shape[0]! * shape[1]!;
    return { x: place(data), matrix, out: memory.reserve(rows * matrix.outputs), rows };
  };
  const query = project('W_q', q);
  const key = project('W_k', k);
  const value = project('W_v', v);
  const matrix = parameters.matrix('W_o.weight', 'W_o.bias');
  const { rows } = query;
  const attended = memory.reserve(rows * matrix.inputs);
  const apart = keeps || matrix.outputs > matrix.inputs;
  const out = apart ? memory.reserve(rows * matrix.outputs) : query.out;
  return [query, key, value, { x: attended, matrix, out, rows }];
}
