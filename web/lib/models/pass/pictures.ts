/** Pictures: their patches, which are the tokens of a pass behind special ones. */
import { fresh } from '../../runtime/memory.js';
import type { Architecture } from '../config/architecture.js';
import { countOf } from '../config/pictures.js';
import type { Grid } from '../pictures/grid.js';
import type { PictureWeights } from '../weights/types.js';
import type { Layout } from './layout.js';
import type { ModelSteps } from './steps.js';
import type { Program, Request } from './types.js';

/** Appends the steps that make tokens; returns their address. */
export function pictureTokens(
  { patches, specials }: PictureWeights,
  { batch, tokens }: Pick<Request, 'batch' | 'tokens'>,
  dim: number,
  { inputs, layout, steps }: { inputs: Pick<Program['inputs'], 'ids' | 'patches'>; layout: Layout; steps: ModelSteps },
): number {
  const x = layout.floats(batch * tokens * dim);
  const patchTokens = tokens - countOf(specials);
  for (let b = 0; b < batch; ++b) {
    let out = x + 4 * b * tokens * dim;
    for (const { address: table, count } of specials) {
      steps.embedding({ ids: inputs.ids, table, out, count, dim, packedRows: 0, weightType: 0 });
      out += 4 * count * dim;
    }
    steps.linear(inputs.patches + 4 * b * patchTokens * patches.inputs, patches, out, patchTokens);
  }
  return x;
}

/** The numbers of each patch, by channel, row and column, of pictures (batch, channels, height, width). */
export function unfolded(
  operation: string,
  { pictures }: Architecture,
  { data, batch, height, width }: { data: Float32Array; batch: number; height: number; width: number },
  { rows, columns }: Grid,
): Float32Array {
  const { channels, patch } = pictures!;
  const result = fresh(operation, Float32Array, batch * rows * columns * channels * patch * patch);
  let to = 0;
  for (let b = 0; b < batch; ++b) {
    for (let row = 0; row < rows; ++row) {
      for (let column = 0; column < columns; ++column) {
        for (let channel = 0; channel < channels; ++channel) {
          let from = ((b * channels + channel) * height + row * patch) * width + column * patch;
          for (let y = 0; y < patch; ++y, from += width) {
            for (let x = 0; x < patch; ++x) result[to++] = data[from + x]!;
          }
        }
      }
    }
  }
  return result;
}
