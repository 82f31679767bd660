/**
 * Attention rollout as whole matrices in float64: A = ½ W̄ + ½ I for each layer, where W̄ is the mean of its heads, and their
 * product with the first layer on the right. Source: Abnar & Zuidema (2020), "Quantifying Attention Flow in Transformers".
 *
 * @param layers (layers, heads, T, T) as nested lists
 * @returns the (T, T) rollout after each layer
 */
export function attentionRollout(layers: readonly (readonly (readonly (readonly number[])[])[])[]): number[][][] {
  const results: number[][][] = [];
  for (const heads of layers) {
    const tokens = heads[0]!.length;
    const matrix = Array.from({ length: tokens }, (_, i) =>
      Array.from({ length: tokens }, (_, j) => {
        let sum = 0;
        for (const head of heads) sum += head[i]![j]!;
        return sum / heads.length / 2 + (i === j ? 0.5 : 0);
      }),
    );
    const before = results.at(-1);
    if (before === undefined) {
      results.push(matrix);
      continue;
    }
    const product = matrix.map((row) => row.map(() => 0));
    for (let i = 0; i < tokens; ++i)
      for (let j = 0; j < tokens; ++j)
        for (let k = 0; k < tokens; ++k) product[i]![j]! += matrix[i]![k]! * before[k]![j]!;
    results.push(product);
  }
  return results;
}
