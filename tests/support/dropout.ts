/** The factors of dropout that the library documents: a hash of the seed and of an element's place. */

function mix(x: number): number {
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}

/** 0 if element `index` of `row` is dropped, otherwise 1 / (1 - probability), in float32 as in the library. */
export function dropoutFactor(seed: number, probability: number, row: number, index: number): number {
  const key = mix(mix((seed + 0x9e3779b9) | 0) ^ row);
  const bits = mix((key + Math.imul(index, 0x9e3779b9)) | 0);
  return bits < Math.fround(probability) * 2 ** 32 ? 0 : Math.fround(1 / (1 - probability));
}
