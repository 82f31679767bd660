import { POSITIONS, type Positions } from '../../../training/index.js';

/**
 * Classes for the colour and line style of models with these positions: the same in every figure that compares them.
 */
export function positionsStyle(positions: Positions): string {
  const index = POSITIONS.indexOf(positions);
  return `colour-${index === 0 ? 'none' : index - 1} dash-${index}`;
}
