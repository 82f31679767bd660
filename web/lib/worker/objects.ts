/** The objects in the worker for which the page has handles. */
import type { Description, Token } from './wire.js';

export type Anything = Record<string, unknown> & ((...args: readonly unknown[]) => unknown);

const objects = new Map<number, Anything>();
/** The functions that an object's methods have returned: a layer's backward functions. */
const returned = new Map<number, Set<number>>();
let nextId = 0;

/** The object of a handle. */
export function objectOf(id: number): Anything {
  return objects.get(id)!;
}

/** Whether a value is plain data: an array, or an object that has neither a class nor getters. */
function isData(value: object): boolean {
  if (ArrayBuffer.isView(value) || Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(Object.getOwnPropertyDescriptors(value)).every((property) => !('get' in property));
}

/** Stores an object and describes it for its handle. */
export function describe(object: object): Description {
  const id = nextId++;
  objects.set(id, object as Anything);
  const description = {
    id,
    methods: new Set<string>(),
    classes: new Set<string>(),
    values: new Set<string>(),
  };
  if (typeof object === 'function') return { id, methods: [''], classes: [], values: [] };
  for (
    let owner = object;
    owner !== null && owner !== Object.prototype;
    owner = Object.getPrototypeOf(owner) as object
  ) {
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      if (name === 'constructor') continue;
      const kind = typeof property.value !== 'function' ? 'values' : /^[A-Z]/.test(name) ? 'classes' : 'methods';
      description[kind].add(name);
    }
  }
  return {
    id,
    methods: [...description.methods],
    classes: [...description.classes],
    values: [...description.values],
  };
}

/** The token of a value that a method of object `owner` has returned, unless it is data. */
export function tokenOf(value: object, owner: number): Token | undefined {
  if (isData(value)) return undefined;
  const description = describe(value);
  if (typeof value === 'function') {
    const functions = returned.get(owner) ?? new Set();
    returned.set(owner, functions.add(description.id));
  }
  return { kind: 'handle', ...description };
}

/** The value of a token from the page. */
export function fromToken(token: Token): unknown {
  if (token.kind === 'reference') return objects.get(token.id);
  if (token.kind === 'symbol') return Symbol(token.text);
  const { text } = token as { text: string };
  return Object.assign(() => undefined, { toString: () => text });
}

/** Drops an object for which the page has no handle any more. */
export function release(id: number): void {
  objects.delete(id);
  returned.delete(id);
  for (const functions of returned.values()) functions.delete(id);
}

/** Replaces the functions of a disposed object with ones that throw the same error but hold no memory. */
export function forget(id: number): void {
  for (const at of returned.get(id) ?? []) {
    try {
      objects.get(at)?.();
    } catch (error) {
      const refuse = (): never => {
        throw error;
      };
      objects.set(at, refuse as unknown as Anything);
    }
  }
  returned.delete(id);
}
