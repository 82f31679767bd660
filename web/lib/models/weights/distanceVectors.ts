import type { Wasm } from '../../runtime/wasm.js';
import { runSteps, Steps, type Matrix } from '../../steps/steps.js';
import { OPERATION, type Architecture } from '../config/architecture.js';
import type { DistanceVectors, ModelWeights } from './types.js';

/** What is placed from a file; the rest is computed from it. */
export type FileWeights = Omit<ModelWeights, 'frequenciesAt' | 'distances' | 'tableFor'>;

/** Computes each layer's keys and queries of distances, which are the same in every pass. */
export function distanceVectors(
  wasm: Wasm,
  a: Architecture,
  { relativeVectors, relativeNorm, layers }: FileWeights,
  allocate: (floats: number) => number,
): readonly DistanceVectors[] {
  if (!a.relativeVectors) return [];
  const { rows } = a.relativeVectors;
  const { memory } = wasm;
  return memory.scope(OPERATION, () => {
    const steps = new Steps();
    let table = relativeVectors;
    if (relativeNorm) {
      table = memory.reserve(rows * a.hiddens);
      steps.norm(relativeVectors, { kind: a.norm, eps: a.eps, ...relativeNorm }, table, rows, a.hiddens);
    }
    const mapped = (matrix: Matrix | undefined): number => {
      if (!matrix) return 0;
      const out = allocate(rows * matrix.outputs);
      steps.linear(table, matrix, out, rows);
      return out;
    };
    const vectors = layers.map(({ relativeKey, relativeQuery }) => ({
      keys: mapped(relativeKey),
      queries: mapped(relativeQuery),
    }));
    runSteps(wasm, steps.place(memory), steps.bytes);
    return vectors;
  });
}
