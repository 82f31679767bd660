/** Checks objects of options, and rejects unknown names. */
import type { FloatArray } from '../types.js';
import { tagOf, wrongKind, wrongUse } from './values.js';

/** Options that are objects of options themselves. */
type Nested = 'out' | 'rotary' | 'scaling';

/** Every option of T, so that none can be forgotten: 1, or the options of a nested object. */
export type Known<T> = {
  readonly [K in keyof T]-?: K extends Nested
    ? Exclude<T[K], undefined> extends FloatArray
      ? 1
      : Known<Exclude<T[K], undefined>>
    : 1;
};

/** Inherits no options. Object.create(null) would do, but engines make such an object a slow dictionary. */
class Copy {
  [name: string]: unknown;
}
Object.setPrototypeOf(Copy.prototype, null);

/**
 * A copy of the given options; empty if there are none.
 *
 * @param what what messages call the object
 */
export function checkOptions<T extends object>(
  operation: string,
  options: T | undefined,
  known: Known<T>,
  what = 'options',
): T {
  const copy = new Copy();
  if (options === undefined) return copy as T;
  // An array here is usually a positional argument, as in other libraries: attention(X, X, X, valid_lens).
  if (tagOf(options) !== 'Object') wrongKind(operation, `${what} to be an object`, options);
  for (const name of ownNames(operation, options)) {
    const inner = known[name as keyof T] as Known<object> | 1;
    if (inner !== 1 && !Object.hasOwn(known, name)) unknownName(operation, name, Object.keys(known), what);
    const value: unknown = options[name as keyof T];
    copy[name] = inner === 1 || value == null ? value : checkOptions(operation, value, inner, `options of ${name}`);
  }
  return copy as T;
}

/**
 * The names of an object's own properties. Throws a TypeError for inherited ones, but ignores those of all objects,
 * which another library may have added.
 */
export function ownNames(operation: string, value: object): string[] {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    for (const name in value) {
      if (Object.hasOwn(value, name) || name in Object.prototype) continue;
      wrongUse(operation, `an own '${name}'`, 'an inherited one');
    }
  }
  return Object.keys(value);
}

/** Throws a TypeError for an unknown name; its message has the most similar known one. */
export function unknownName(operation: string, given: string, known: string[], what: string): never {
  const [nearest] = known.sort((a, b) => likeness(given, b) - likeness(given, a));
  const expected = nearest ? `known ${what} (the nearest is ${nearest})` : `no ${what}`;
  return wrongUse(operation, expected, `'${given}'`);
}

/** The share of letters and pairs of letters that both names have, ignoring case. */
function likeness(given: string, name: string): number {
  const letters = given.slice(0, 99).toLowerCase();
  const other = name.toLowerCase();
  let common = 0;
  for (let i = 0; i < letters.length; ++i) {
    if (other.includes(letters[i]!)) common += 1;
    if (other.includes(letters.slice(i, i + 2))) common += 2;
  }
  return common / (given.length + name.length);
}
