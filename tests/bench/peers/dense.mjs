/** Dense matrices in plain JavaScript. */

/**
 * c (m, n) = a (m, k) · b (k, n): eight sums (4 rows × 2 columns) over a packed pair of columns, 4.4 GFLOP/s.
 * Tried: one row of c from four rows of b at a time, 2.5; the eight sums with Math.fround around each step, 1.4.
 */
export function product(a, b, m, k, n, c = new Float32Array(m * n)) {
  if (m < 4) return fewRows(a, b, m, k, n, c);
  const panel = new Float32Array(2 * k);
  for (let j = 0; j < n; j += 2) {
    const both = j + 1 < n;
    for (let p = 0; p < k; p++) {
      panel[2 * p] = b[p * n + j];
      panel[2 * p + 1] = both ? b[p * n + j + 1] : 0;
    }
    // If m is not a multiple of four, the last four rows overlap those before them.
    for (let i = 0; i < m; i += 4) tile(a, panel, c, Math.min(i, m - 4), j, k, n, both);
  }
  return c;
}

function tile(a, panel, c, i, j, k, n, both) {
  const r0 = i * k;
  const r1 = r0 + k;
  const r2 = r1 + k;
  const r3 = r2 + k;
  let s00 = 0;
  let s01 = 0;
  let s10 = 0;
  let s11 = 0;
  let s20 = 0;
  let s21 = 0;
  let s30 = 0;
  let s31 = 0;
  for (let p = 0; p < k; p++) {
    const x = panel[2 * p];
    const y = panel[2 * p + 1];
    s00 += a[r0 + p] * x;
    s01 += a[r0 + p] * y;
    s10 += a[r1 + p] * x;
    s11 += a[r1 + p] * y;
    s20 += a[r2 + p] * x;
    s21 += a[r2 + p] * y;
    s30 += a[r3 + p] * x;
    s31 += a[r3 + p] * y;
  }
  c[i * n + j] = s00;
  c[(i + 1) * n + j] = s10;
  c[(i + 2) * n + j] = s20;
  c[(i + 3) * n + j] = s30;
  if (!both) return;
  c[i * n + j + 1] = s01;
  c[(i + 1) * n + j + 1] = s11;
  c[(i + 2) * n + j + 1] = s21;
  c[(i + 3) * n + j + 1] = s31;
}

/** With few rows there is nothing to reuse: b is read once, in order. */
function fewRows(a, b, m, k, n, c) {
  c.fill(0);
  for (let i = 0; i < m; i++) {
    if (n === 1) {
      for (let p = 0; p < k; p++) c[i] += a[i * k + p] * b[p];
      continue;
    }
    for (let p = 0; p < k; p++) {
      const value = a[i * k + p];
      for (let j = 0; j < n; j++) c[i * n + j] += value * b[p * n + j];
    }
  }
  return c;
}

/** The transpose of x (rows, cols), in tiles. */
export function transpose(x, rows, cols, out = new Float32Array(rows * cols)) {
  for (let i0 = 0; i0 < rows; i0 += 16) {
    for (let j0 = 0; j0 < cols; j0 += 16) {
      for (let i = i0; i < Math.min(rows, i0 + 16); i++) {
        for (let j = j0; j < Math.min(cols, j0 + 16); j++) out[j * rows + i] = x[i * cols + j];
      }
    }
  }
  return out;
}
