import { wrongValue } from '../check/values.js';

/** A tensor in the header of a .safetensors file: its name, type and shape, and the place of its bytes in the data. */
export interface Entry {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

/** The largest header, as in the reference implementation. */
export const MAX_HEADER_BYTES = 100_000_000;
/** The entry that is not a tensor but strings about the file. */
export const METADATA = '__metadata__';

/** Throws if the name has half a surrogate pair, which UTF-8 cannot encode. */
export function checkName(operation: string, name: string): void {
  if (/\p{Surrogate}/u.test(name)) wrongValue(operation, 'names that are Unicode', JSON.stringify(name));
}

/** Objects of tensors hold lists, and nothing in a header is nested deeper. */
const MAX_DEPTH = 3;
/** More than a tensor of a thousand axes needs. */
const MAX_ENTRY_BYTES = 2 ** 16;

/** The entries of a header, in the order of their bytes. */
export function parseHeader(operation: string, bytes: Uint8Array): Entry[] {
  const entries: Entry[] = [];
  for (const [name, value] of members(operation, bytes)) {
    checkName(operation, name);
    if (name === METADATA) checkMetadata(operation, value);
    else entries.push(parseEntry(operation, name, value));
  }
  return entries.sort((a, b) => a.begin - b.begin || a.end - b.end);
}

/**
 * The names and values of a JSON object. Values are parsed one by one, so that the objects of a malicious header never
 * take many times its bytes.
 */
function* members(operation: string, bytes: Uint8Array): Generator<[name: string, value: unknown]> {
  const code = (character: string): number => character.charCodeAt(0);
  const [quote, escape, open, close] = ['"', '\\', '{', '}'].map(code) as [number, number, number, number];
  const [openList, closeList, comma, colon] = ['[', ']', ',', ':'].map(code) as [number, number, number, number];
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const names = new Set<string>();
  let at = 0;
  const malformed = (): never => {
    const got = bytes.includes(0) ? 'NUL bytes (only spaces may follow the JSON)' : 'something else';
    return wrongValue(operation, 'a header that is a JSON object', got);
  };
  const skipSpace = (): void => {
    while ([0x20, 0x09, 0x0a, 0x0d].includes(bytes[at]!)) ++at;
  };
  const skip = (expected: number): void => {
    if (bytes[at] !== expected) malformed();
    ++at;
    skipSpace();
  };
  const skipString = (): void => {
    while (bytes[++at] !== quote) {
      if (at >= bytes.length) malformed();
      if (bytes[at] === escape) ++at;
    }
    ++at;
  };
  /** Skips the rest of a member. */
  const skipValue = (): void => {
    let depth = 1;
    for (; depth > 1 || (bytes[at] !== comma && bytes[at] !== close); ++at) {
      const byte = bytes[at];
      if (byte === undefined) malformed();
      if (byte === open || byte === openList) depth += 1;
      if (byte === close || byte === closeList) depth -= 1;
      if (depth > MAX_DEPTH) wrongValue(operation, `a header nested to a depth of ${MAX_DEPTH}`, 'more');
      if (byte === quote) {
        skipString();
        --at;
      }
    }
  };
  const parse = (from: number): unknown => {
    try {
      const text = decoder.decode(bytes.subarray(from, at));
      const value: unknown = JSON.parse(text);
      checkUniqueKeys(operation, text);
      return value;
    } catch (error) {
      if (error instanceof RangeError) throw error;
      return malformed();
    }
  };
  // Nothing may come before it, not even a byte order mark.
  skip(open);
  while (bytes[at] !== close) {
    if (names.size > 0) skip(comma);
    const from = at;
    if (bytes[at] !== quote) malformed();
    skipString();
    const name = parse(from) as string;
    if (names.has(name)) wrongValue(operation, 'each name once', `${JSON.stringify(name)} twice`);
    names.add(name);
    skipSpace();
    skip(colon);
    const begin = at;
    skipValue();
    if (name !== METADATA && at - begin > MAX_ENTRY_BYTES) {
      wrongValue(operation, `${JSON.stringify(name)} described in at most ${MAX_ENTRY_BYTES} bytes`, at - begin);
    }
    yield [name, parse(begin)];
  }
  skip(close);
  if (at < bytes.length) malformed();
}

/** Throws if any object has duplicate keys, of which JSON.parse would keep the last. `json` is valid JSON. */
function checkUniqueKeys(operation: string, json: string): void {
  const objects: Set<string>[] = [];
  // By hand, since a regular expression needs memory for every escape in a string.
  for (let i = 0; i < json.length; ++i) {
    if (json[i] === '{') objects.push(new Set());
    else if (json[i] === '}') objects.pop();
    if (json[i] !== '"') continue;
    const start = i;
    while (json[++i] !== '"') if (json[i] === '\\') ++i;
    const end = i + 1;
    while (/\s/.test(json[i + 1] ?? '')) ++i;
    if (json[i + 1] !== ':') continue;
    const keys = objects.at(-1)!;
    const key = JSON.parse(json.slice(start, end)) as string;
    if (keys.has(key)) wrongValue(operation, 'each name once', `${JSON.stringify(key)} twice`);
    keys.add(key);
  }
}

function checkMetadata(operation: string, metadata: unknown): void {
  if (!isObject(metadata) || Object.values(metadata).some((value) => typeof value !== 'string')) {
    wrongValue(operation, `${METADATA} to hold strings`, 'something else');
  }
}

function parseEntry(operation: string, name: string, value: unknown): Entry {
  const what = JSON.stringify(name);
  if (!isObject(value)) return wrongValue(operation, `${what} to be an object`, 'something else');
  const { dtype, shape, data_offsets: offsets } = value;
  if (typeof dtype !== 'string') return wrongValue(operation, `a dtype of ${what}`, 'none');
  if (!isWholeNumbers(shape)) {
    return wrongValue(operation, `the shape of ${what} to hold whole numbers of at least 0`, 'something else');
  }
  if (!isWholeNumbers(offsets) || offsets.length !== 2 || offsets[0]! > offsets[1]!) {
    return wrongValue(operation, `the data_offsets of ${what} to be a begin and an end`, 'something else');
  }
  return { name, dtype, shape, begin: offsets[0]!, end: offsets[1]! };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isWholeNumbers(value: unknown): value is number[] {
  return (
    Array.isArray(value) &&
    value.every((number) => Number.isSafeInteger(number) && number >= 0 && !Object.is(number, -0))
  );
}
