import type { FigureData } from '../shared/figure/figure-data.js';
import type { Localised } from '../shared/localised.js';
import { shapeOf, STAGES, type Pipeline } from './pipeline.js';

/** A row for each stage that was reached: its name, its shape and how many numbers it has. */
export function shapesData(words: Localised, { shapes }: Pipeline): FigureData {
  const rows = STAGES.flatMap((stage) => {
    const shape = shapes[stage];
    const count = shape?.reduce((product, size) => product * size, 1);
    return shape === undefined || count === undefined ? [] : [[words.text(`shapes.${stage}`), shapeOf(shape), count]];
  });
  return {
    columns: [words.text('shapes.stage'), words.text('shapes.shape'), words.text('shapes.count')],
    rows,
  };
}
