/** Lets toEqual compare typed arrays by their bytes first: number by number Jest takes about a microsecond for each. */
import { expect } from '@jest/globals';
import { same } from './same.js';

expect.addEqualityTesters([
  // Arrays of other bytes may still be equal, because there are several NaN; those are left to Jest.
  (a: unknown, b: unknown) =>
    ArrayBuffer.isView(a) && ArrayBuffer.isView(b) && a.constructor === b.constructor && same(a, b) ? true : undefined,
]);
