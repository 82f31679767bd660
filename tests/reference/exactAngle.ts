/**
 * Angles position·base^(-2j/dim), reduced to [-π, π], in 160-bit fixed point: the sine and cosine of what is returned are right to
 * the last bits of float64 at any position, where float64 arithmetic alone would be off by 1e-9 at position 1e7.
 */
const BITS = 160n;
const ONE = 1n << BITS;

const PI = 4n * (4n * arctanOfInverse(5n) - arctanOfInverse(239n)); // Machin

/** base^(-2j/dim) in fixed point. `base` is a positive whole number. */
export function frequency(base: number, j: number, dim: number): bigint {
  return exp((-2n * BigInt(j) * naturalLogarithm(BigInt(base))) / BigInt(dim));
}

/** position·frequency modulo 2π, within [-π, π]. `position` is a whole number. */
export function reducedAngle(position: number, fixedFrequency: bigint): number {
  const turn = 2n * PI;
  let angle = (BigInt(position) * fixedFrequency) % turn;
  if (angle > PI) angle -= turn;
  if (angle < -PI) angle += turn;
  // To 64 fractional bits, then to float64: exact far beyond float64's own resolution.
  return Number(angle >> (BITS - 64n)) / 2 ** 64;
}

/** arctan(1/n) = 1/n - 1/3n³ + 1/5n⁵ … */
function arctanOfInverse(n: bigint): bigint {
  let power = ONE / n;
  let sum = 0n;
  for (let k = 1n; power !== 0n; k += 2n, power /= -n * n) sum += power / k;
  return sum;
}

/** ln(n) = 2·artanh((n-1)/(n+1)) after halving n into [1, 2). */
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

/** The series of exp at x/2^8, squared eight times. */
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
