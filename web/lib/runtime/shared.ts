/**
 * The package's files are bundled apart from each other, and one that is loaded under two addresses (`slim.js?v=2` by a
 * page, `slim.js` by layers.js) runs twice. What all of them have to agree on they find under a name that has the
 * version in it.
 */
export function shared<T extends object>(what: string, make: () => T): T {
  const key = Symbol.for(`wasm-attention ${__VERSION__} ${what}`);
  const found = (globalThis as unknown as Record<symbol, T | undefined>)[key];
  if (found) return found;
  const value = make();
  // Not an assignment, which would throw where globals are frozen.
  Reflect.defineProperty(globalThis, key, { value });
  return value;
}
