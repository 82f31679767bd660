import fc from 'fast-check';

/** Values that hardly any field of a config may have. */
export const strange = fc.oneof(
  fc.constantFrom(
    null,
    true,
    false,
    '',
    'gelu',
    'relu',
    0,
    1,
    2,
    3,
    -1,
    0.5,
    1e9,
    2 ** 31,
    2 ** 53,
    NaN,
    Infinity,
    [],
    {},
    [1],
  ),
  fc.integer({ min: -8, max: 64 }),
  fc.jsonValue({ maxDepth: 2 }),
);
