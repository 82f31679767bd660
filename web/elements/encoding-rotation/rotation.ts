/** (p_{2j}, p_{2j+1}): the sine and the cosine of one frequency at one position. */
export type Pair = readonly [sine: number, cosine: number];

/** The position nearest to the given one at which a hand of this frequency shows the angle, from 0 to `last`. */
export function turnedTo(angle: number, position: number, omega: number, last: number): number {
  const turn = 2 * Math.PI;
  const by = angle - position * omega;
  const steps = Math.round((by - turn * Math.round(by / turn)) / omega);
  return Math.max(0, Math.min(last, position + steps));
}

/** The angle in degrees, from 0 to 359, of a hand of this frequency. */
export function degreesAt(position: number, omega: number): number {
  return Math.round((position * omega * 180) / Math.PI) % 360;
}

/** M·p for one row-major 2×2 matrix. */
export function rotate(matrix: ArrayLike<number>, [sine, cosine]: Pair): Pair {
  const [a = NaN, b = NaN, c = NaN, d = NaN] = Array.from(matrix);
  return [a * sine + b * cosine, c * sine + d * cosine];
}

/**
 * max |M·p_i − p_{i+δ}| over all pairs and all positions i for which i + δ is not negative, with products in float64,
 * so that only the rounding of the float32 entries of M and P remains.
 *
 * @param matrices (dim/2, 2, 2)
 * @param P (positions + the largest offset, dim)
 */
export function residual(
  matrices: ArrayLike<number>,
  P: ArrayLike<number>,
  { positions, offset, dim }: { positions: number; offset: number; dim: number },
): number {
  let worst = 0;
  for (let i = Math.max(0, -offset); i < positions; ++i) {
    for (let j = 0; 2 * j + 1 < dim; ++j) {
      const pair = (row: number): Pair => [P[row * dim + 2 * j] ?? NaN, P[row * dim + 2 * j + 1] ?? NaN];
      const matrix = [0, 1, 2, 3].map((k) => matrices[4 * j + k] ?? NaN);
      const [sine, cosine] = rotate(matrix, pair(i));
      const [targetSine, targetCosine] = pair(i + offset);
      worst = Math.max(worst, Math.abs(sine - targetSine), Math.abs(cosine - targetCosine));
    }
  }
  return worst;
}

/**
 * The SVG path of an arc that starts `from` radians past twelve o'clock and is `by` radians long. Several turns are
 * drawn as one.
 */
export function arcPath(from: number, by: number, radius: number): string {
  const point = (angle: number): string => `${radius * Math.sin(angle)} ${-radius * Math.cos(angle)}`;
  const sweep = by >= 0 ? 1 : 0;
  if (Math.abs(by) >= 2 * Math.PI) {
    const half = `A ${radius} ${radius} 0 1 ${sweep} `;
    return `M ${point(0)} ${half}${point(Math.PI)} ${half}${point(0)}`;
  }
  const large = Math.abs(by) > Math.PI ? 1 : 0;
  return `M ${point(from)} A ${radius} ${radius} 0 ${large} ${sweep} ${point(from + by)}`;
}
