/**
 * The entropy −Σ w·log₂ w of each row of weights, in bits: 0 if a query attends to one key only, log₂ S if it attends
 * equally to all S keys. A row of zeros, of a query that sees nothing, has none: NaN.
 *
 * @param weights (rows, columns), rows that sum to 1 or are zeros
 */
export function entropies(weights: ArrayLike<number>, columns: number): number[] {
  const rows = weights.length / columns;
  return Array.from({ length: rows }, (_, row) => {
    let bits = 0;
    let sum = 0;
    for (let column = 0; column < columns; ++column) {
      const weight = weights[row * columns + column] ?? NaN;
      sum += weight;
      if (weight > 0) bits -= weight * Math.log2(weight);
    }
    // Rounding can leave −0 or slightly less.
    return sum === 0 ? NaN : Math.max(0, bits);
  });
}
