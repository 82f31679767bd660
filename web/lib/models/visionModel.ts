import { checkInteger } from '../check/values.js';
import type { Tensor, TensorLike } from '../types.js';
import { countOf } from './config/pictures.js';
import { OpenedModel } from './openedModel.js';
import { activationsOf } from './pass/activations.js';
import { checkPictures } from './pass/check.js';
import { resultOf, type Passes } from './pass/passes.js';
import { gridOf } from './pictures/grid.js';
import type { Patches, VisionForwardOptions, VisionModel, VisionResult } from './types.js';

export class OpenVisionModel extends OpenedModel implements VisionModel {
  readonly #passes: Passes;

  constructor(passes: Passes, unused: readonly string[]) {
    super(passes, unused);
    this.#passes = passes;
  }

  forward(pixels: TensorLike, options?: VisionForwardOptions): VisionResult {
    const passes = this.#passes;
    return passes.run(checkPictures(passes.architecture, 'forward', pixels, options), resultOf);
  }

  activations(
    pixels: TensorLike,
    names: RegExp | readonly string[],
    options?: VisionForwardOptions,
  ): Record<string, Tensor> {
    const operation = 'activations';
    const check = () => checkPictures(this.#passes.architecture, operation, pixels, options);
    return activationsOf(operation, this.#passes, names, check);
  }

  patches(height: number, width: number): Patches {
    const operation = 'patches';
    const { architecture } = this.#passes;
    checkInteger(operation, 'height', height, 1);
    checkInteger(operation, 'width', width, 1);
    const { rows, columns } = gridOf(operation, architecture, height, width);
    const { specials, patch } = architecture.pictures!;
    return { first: countOf(specials), rows, columns, size: patch };
  }
}
