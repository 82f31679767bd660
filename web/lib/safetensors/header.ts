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

/** The entries of a header, in the order of their bytes. */
export function parseHeader(operation: string, bytes: Uint8Array): Entry[] {
  const header = parseJson(operation, bytes);
  const entries: Entry[] = [];
  for (const [name, value] of Object.entries(header)) {
    checkName(operation, name);
    if (name === METADATA) checkMetadata(operation, value);
    else entries.push(parseEntry(operation, name, value));
  }
  return entries.sort((a, b) => a.begin - b.begin || a.end - b.end);
}

function parseJson(operation: string, bytes: Uint8Array): Record<string, unknown> {
  const expected = 'a header that is a JSON object';
  // White space may follow the JSON, to align the data; nothing may come before it, not even a byte order mark.
  if (bytes[0] !== 0x7b) wrongValue(operation, expected, 'something else');
  let text: string;
  let header: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    header = JSON.parse(text);
  } catch {
    return wrongValue(operation, expected, 'something else');
  }
  checkUniqueKeys(operation, text);
  return header as Record<string, unknown>;
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
