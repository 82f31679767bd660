/**
 * Angles position·base^(-2j/dim), reduced to [-π, π], in fixed point with 160 fractional bits. Sine and cosine of the
 * result are right to the last bits of float64 at any position; computed in float64 they would be off by 1e-9 at
 * position 1e7.
 */
const BITS = 160n;
const ONE = 1n << BITS;

const PI = 4n * (4n * arctanOfInverse(5n) - arctanOfInverse(239n)); // Machin

/** base^(-2j/dim) in fixed point. `base` must be a positive whole number. */
export function frequency(base: number, j: number, dim: number): bigint {
  return exp((-2n * BigInt(j) * naturalLogarithm(BigInt(base))) / BigInt(dim));
}

/** position·frequency modulo 2π, within [-π, π]. `position` must be a whole number. */
export function reducedAngle(position: number, fixedFrequency: bigint): number {
  const turn = 2n * PI;
  let angle = (BigInt(position) * fixedFrequency) % turn;
  if (angle > PI) angle -= turn;
  if (angle < -PI) angle += turn;
  // 64 fractional bits are more than float64 can hold.
  return Number(angle >> (BITS - 64n)) / 2 ** 64;
}

/** arctan(1/n) = 1/n - 1/3n³ + 1/5n⁵ … */
function arctanOfInverse(n: bigint): bigint {
  let power = ONE / n;
  let sum = 0n;
  for (let k = 1n; power !== 0n; k += 2n, power /= -n * n) sum += power / k;
  return sum;
}

/** ln(n) = halvings·ln(2) + ln(m) for n halved to m in [1, 2), and ln(m) = 2·artanh((m-1)/(m+1)). */
function naturalLogarithm(n: bigint): bigint {
  const halvings = BigInt(n.toString(2).length - 1);
  const ln2 = 2n * artanh(ONE / 3n);
  const mantissa = (n << BITS) >> halvings;
  return halvings * ln2 + 2n * artanh(((mantissa - ONE) << BITS) / (mantissa + ONE));
}

/** x + x³/3 + x⁵/5 … */
function artanh(x: bigint): bigint {
  const square = (x * x) >> BITS;
  let power = x;
  let sum = 0n;
  for (let k = 1n; power !== 0n; k += 2n, power = (power * square) >> BITS) sum += power / k;
  return sum;
}

/** exp(x) = exp(x/2^8)^(2^8): the series at x/2^8, squared eight times. */
function exp(x: bigint): bigint {
  const small = x / 256n;
  let term = ONE;
  let sum = 0n;
  for (let k = 1n; term !== 0n; ++k) {
    sum += term;
    term = (term * small) / (ONE * k);
  }
  for (let squaring = 0; squaring < 8; ++squaring) sum = (sum * sum) >> BITS;
  return sum;
}
