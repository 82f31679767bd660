/** Writes GGUF files, also wrong ones. */

/** Numbers of metadata's types. */
const TYPES = {
  u8: 0,
  i8: 1,
  u16: 2,
  i16: 3,
  u32: 4,
  i32: 5,
  f32: 6,
  bool: 7,
  string: 8,
  list: 9,
  u64: 10,
  i64: 11,
  f64: 12,
};

type Scalar = Exclude<keyof typeof TYPES, 'list'>;
export type Value =
  readonly [type: Scalar, value: unknown] | readonly [type: 'list', of: Scalar, values: readonly unknown[]];
export type Keys = Readonly<Record<string, Value>>;

export interface FileTensor {
  readonly name: string;
  /** Rows and columns, as elsewhere. */
  readonly shape: readonly (number | bigint)[];
  /** The type's number. */
  readonly type: number;
  readonly bytes: Uint8Array;
  /** Where the file says that it begins, if not where it does. */
  readonly offset?: number | bigint;
}

export interface WriteOptions {
  readonly version?: number;
  readonly alignment?: number;
  /** What the file says of its counts. */
  readonly tensorCount?: number | bigint;
  readonly keyCount?: number | bigint;
}

export function writeGguf(
  keys: Keys | readonly (readonly [string, Value])[],
  tensors: readonly FileTensor[],
  { version = 3, alignment, tensorCount, keyCount }: WriteOptions = {},
): Uint8Array<ArrayBuffer> {
  const head: Uint8Array[] = [];
  const put = (size: number, set: (view: DataView) => void): void => {
    const view = new DataView(new ArrayBuffer(size));
    set(view);
    head.push(new Uint8Array(view.buffer));
  };
  const put32 = (value: number): void => put(4, (view) => view.setUint32(0, value, true));
  const put64 = (value: number | bigint): void => put(8, (view) => view.setBigUint64(0, BigInt(value), true));
  const putString = (text: string): void => {
    const bytes = new TextEncoder().encode(text);
    put64(bytes.length);
    head.push(bytes);
  };
  const putScalar = (type: Scalar, value: unknown): void => {
    const number = Number(value);
    if (type === 'string') putString(String(value));
    else if (type === 'u64') put64(value as number);
    else if (type === 'i64') put(8, (view) => view.setBigInt64(0, BigInt(value as number), true));
    else if (type === 'f64') put(8, (view) => view.setFloat64(0, number, true));
    else if (type === 'f32') put(4, (view) => view.setFloat32(0, number, true));
    else if (type === 'i32') put(4, (view) => view.setInt32(0, number, true));
    else if (type === 'u32') put32(number);
    else if (type === 'u16' || type === 'i16') put(2, (view) => view.setUint16(0, number, true));
    else put(1, (view) => view.setUint8(0, number));
  };
  const given = Array.isArray(keys) ? (keys as readonly (readonly [string, Value])[]) : Object.entries(keys as Keys);
  const entries: (readonly [string, Value])[] = [
    ...given,
    ...(alignment === undefined ? [] : ([['general.alignment', ['u32', alignment]]] as const)),
  ];
  head.push(new TextEncoder().encode('GGUF'));
  put32(version);
  put64(tensorCount ?? tensors.length);
  put64(keyCount ?? entries.length);
  for (const [key, value] of entries) {
    putString(key);
    put32(TYPES[value[0]]);
    if (value[0] !== 'list') putScalar(value[0], value[1]);
    else {
      put32(TYPES[value[1]]);
      put64(value[2].length);
      for (const each of value[2]) putScalar(value[1], each);
    }
  }
  const unit = Math.max(alignment ?? 32, 1);
  const padded = (length: number): number => Math.ceil(length / unit) * unit;
  let at = 0;
  const data = tensors.map(({ name, shape, type, bytes, offset }) => {
    putString(name);
    put32(shape.length);
    for (const size of shape.toReversed()) put64(size);
    put32(type);
    put64(offset ?? at);
    const part = new Uint8Array(padded(bytes.length));
    part.set(bytes);
    at += part.length;
    return part;
  });
  const length = head.reduce((sum, part) => sum + part.length, 0);
  const parts = [...head, new Uint8Array(padded(length) - length), ...data];
  const file = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let to = 0;
  for (const part of parts) {
    file.set(part, to);
    to += part.length;
  }
  return file;
}
