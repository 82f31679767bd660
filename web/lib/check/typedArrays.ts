/** Typed arrays as they are, whatever their class or they themselves have put in place of their properties. */
const TypedArray = Object.getPrototypeOf(Float32Array.prototype) as object;
/** What the language knows of a typed array. */
const slot = (name: PropertyKey) => Reflect.getOwnPropertyDescriptor(TypedArray, name)?.get;
const [kind, length, buffer, offset] = [slot(Symbol.toStringTag), slot('length'), slot('buffer'), slot('byteOffset')];

/** `Float32Array` and so on; undefined for what is no typed array. */
export const kindOf = (value: unknown) => kind!.call(value) as string | undefined;
export const lengthOf = (array: unknown) => length!.call(array) as number;
export const bufferOf = (array: unknown) => buffer!.call(array) as ArrayBuffer;
export const offsetOf = (array: unknown) => offset!.call(array) as number;

/** A plain view of the same memory; empty for a detached array. */
export function bare<T extends Float32Array | Uint16Array>(array: T): T {
  const Plain = globalThis[kindOf(array) as 'Float32Array'] as unknown as new (
    buffer: ArrayBuffer | number,
    offset?: number,
    count?: number,
  ) => T;
  const count = lengthOf(array);
  return count === 0 ? new Plain(0) : new Plain(bufferOf(array), offsetOf(array), count);
}
