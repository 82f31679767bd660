import type { FigureData } from '../shared/figure/figure-data.js';
import type { Localised } from '../shared/localised.js';
import { entropies } from '../shared/entropy/entropy.js';
import type { TokensScene } from './scene.js';

/** One row per query of each head: its weights and their entropy. */
export function tokensData(words: Localised, { queries, keys, heads }: TokensScene): FigureData {
  const numbered = (tokens: readonly string[]): string[] => tokens.map((token, i) => `${words.number(i + 1)} ${token}`);
  const rows = heads.flatMap((weights, head) => {
    const bits = entropies(weights, keys.length);
    return numbered(queries).map((query, row) => [
      head + 1,
      query,
      ...weights.subarray(row * keys.length, (row + 1) * keys.length),
      bits[row] ?? NaN,
    ]);
  });
  const columns = [words.text('tokens.head'), words.text('query'), ...numbered(keys)];
  return { columns: [...columns, words.text('tokens.entropy')], rows };
}
