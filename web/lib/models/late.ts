import { failed } from '../check/values.js';

/**
 * Throws what is said of a file of the package that does not load: what only some models need is imported when they
 * need it.
 */
export function explain(cause: unknown): never {
  return failed('openModel', "the library's file", (cause as Error).message, cause);
}
