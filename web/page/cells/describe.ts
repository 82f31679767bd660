/** Values as text, as `show` and `console.log` print them. */

/** The maximum length of a value's text. */
const LONGEST = 4000;
/** How many numbers of a tensor are printed. */
const FIRST = 8;

/** A tensor: `[2, 5, 4, 4]: 0.25, 0.25, …` */
export function describeTensor(data: ArrayLike<number>, shape: readonly number[]): string {
  const first = Array.from({ length: Math.min(FIRST, data.length) }, (_, i) => short(data[i]!));
  return `${describeList(shape)}: ${first.join(', ')}${data.length > FIRST ? ', …' : ''}`;
}

/** A flat array: `[2, 4, 100]` */
export function describeList(list: readonly (string | number)[]): string {
  return clip(`[${list.join(', ')}]`);
}

/** Any value, on one line if it fits; never throws. */
export function describe(value: unknown): string {
  try {
    if (typeof value === 'string') return clip(value);
    if (value instanceof Error) return clip(`${value.name}: ${value.message}`);
    if (typeof value === 'function') return `function ${value.name}`;
    if (typeof value === 'object' && value !== null) return clip(describeObject(value));
    return String(value);
  } catch {
    return typeof value;
  }
}

function describeObject(value: object): string {
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    const numbers = value as unknown as ArrayLike<number>;
    const first = Array.from({ length: Math.min(100, numbers.length) }, (_, i) => String(numbers[i]));
    const name = Object.prototype.toString.call(value).slice(8, -1);
    return `${name}(${numbers.length}) [${first.join(', ')}${numbers.length > 100 ? ', …' : ''}]`;
  }
  // A nested typed array would be printed as an object with a key for each number.
  const plain = (_: string, inner: unknown): unknown =>
    typeof inner === 'bigint' ? `${inner}` : ArrayBuffer.isView(inner) ? describeObject(inner).slice(0, 200) : inner;
  return JSON.stringify(value, plain) ?? Object.prototype.toString.call(value);
}

function short(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
}

function clip(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;
}
