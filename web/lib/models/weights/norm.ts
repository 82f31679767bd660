import type { Architecture } from '../config/architecture.js';
import type { Store } from './store.js';
import type { NormWeights } from './types.js';

/** A norm, if the model has it: of a module, or of several that rows use in turn. */
export function normOf(
  store: Store,
  { bias, normWeight }: Pick<Architecture, 'bias' | 'normWeight'>,
  names: string | readonly string[] | undefined,
  width: number,
  hasBias = bias.norm,
): NormWeights | undefined {
  if (names === undefined) return undefined;
  if (normWeight === 'none') return { weight: 0, bias: 0, weights: 1 };
  const list = [names].flat();
  const of = (tensor: string): string[] => list.map((name) => `${name}.${tensor}`);
  return {
    weight: store.plain(of('weight'), [width], normWeight === 'plusOne' ? 1 : 0),
    bias: hasBias ? store.plain(of('bias'), [width]) : 0,
    weights: list.length,
  };
}
