const TypedArray = Object.getPrototypeOf(Float32Array.prototype) as object;
/** The accessor that tells a typed array's type, whatever realm it is of. */
const tag = Object.getOwnPropertyDescriptor(TypedArray, Symbol.toStringTag);

/** `Float32Array` and so on; undefined for what is no typed array. */
export const kindOf = (value: unknown) => tag!.get!.call(value) as string | undefined;
