/** Seeded random numbers, so that every peer and every run computes the same. */

/** A function that draws numbers from [0, 1): mulberry32, a small generator with a 32-bit state. */
export function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** `length` standard normal numbers (Box–Muller) times `scale`. */
export function normal(length, seed, scale = 1) {
  const draw = generator(seed);
  const out = new Float32Array(length);
  for (let i = 0; i < length; i += 2) {
    const radius = scale * Math.sqrt(-2 * Math.log(1 - draw()));
    const angle = 2 * Math.PI * draw();
    out[i] = radius * Math.cos(angle);
    if (i + 1 < length) out[i + 1] = radius * Math.sin(angle);
  }
  return out;
}

/** `count` distinct indices below `limit`, in order, always including the first and the last. */
export function sample(limit, count, seed) {
  if (limit <= count) return Array.from({ length: limit }, (_, i) => i);
  const draw = generator(seed);
  const picked = new Set([0, limit - 1]);
  while (picked.size < count) picked.add(Math.floor(draw() * limit));
  return [...picked].sort((a, b) => a - b);
}
