/** A folder behind an address, whose files are fetched. */
import { wrongValue } from '../../check/values.js';
import {
  fileNamed,
  GAP_BYTES,
  OwnFile,
  PIECE_BYTES,
  readBytes,
  unlessAborted,
  unreadable as broken,
  wrongSize,
  type Source,
} from '../weights/source.js';
import { headerBytesOf, LENGTH_BYTES } from '../../safetensors/file.js';
import { parseHeader } from '../../safetensors/header.js';
import { GGUF_FILE, readHeader } from '../gguf/header.js';
import { OPERATION as OPEN } from '../config/architecture.js';
import { OPERATION, unreadable, type Folder } from './folder.js';

type Fetch = typeof fetch;

/** The folder at an address. A query string goes along to each file. */
export function addressFolder(at: URL, request: Fetch, signal: AbortSignal | undefined): Folder {
  const base = new URL(at);
  base.hash = '';
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  const urlOf = (path: string): string => {
    // Names of other people's files may look like a query, a scheme or an escape.
    const url = new URL(path.replace(/[%?#:\s]/g, encodeURIComponent), base);
    url.search = base.search;
    return url.href;
  };
  /** The response; undefined where there is no such file. */
  const ask = async (path: string, init: RequestInit): Promise<Response | undefined> => {
    const response = await request(urlOf(path), { ...init, ...(signal && { signal }) }).catch((cause: unknown) => {
      signal?.throwIfAborted();
      return unreadable(path, cause);
    });
    // Some servers answer with a page where there is no file.
    const isPage = response.headers.get('content-type')?.startsWith('text/html') && response.ok;
    if (response.ok && !isPage) return response;
    await response.body?.cancel();
    if (response.status === 404 || isPage) return undefined;
    return wrongValue(OPERATION, path, `HTTP status ${response.status} of ${urlOf(path)}`);
  };
  const sizeOf = async (path: string): Promise<number | undefined> => {
    const head = await ask(path, { method: 'HEAD' }).catch(() => {
      signal?.throwIfAborted();
      // Refused: a GET will do, or say why not.
      return 'refused' as const;
    });
    if (!head) return undefined;
    const size = head === 'refused' ? undefined : lengthOf(head);
    if (size) return size;
    const response = await ask(path, { headers: { range: 'bytes=0-0' } });
    if (!response) return undefined;
    await response.body?.cancel();
    const told = response.status === 206 ? rangeOf(response)?.total : lengthOf(response);
    return told ?? sizeInHeader(new AddressFile(path, Number.MAX_SAFE_INTEGER, urlOf(path), request), signal);
  };
  return {
    names: () => Promise.resolve([]),
    text: async (path) => {
      const response = await ask(path, {});
      return response && textOf(path, response, signal);
    },
    file: async (path) => {
      const size = await sizeOf(path);
      return size === undefined ? undefined : new AddressFile(path.replace(/.*\//, ''), size, urlOf(path), request);
    },
  };
}

/** The most bytes of a file that is read whole. Tokenizers have up to 40 MB. */
const MOST_TEXT_BYTES = 2 ** 28;

/** The text of a response, which might never end. */
async function textOf(path: string, { body }: Response, signal: AbortSignal | undefined): Promise<string> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const reader = body?.getReader();
  for (let size = 0; reader;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      signal?.throwIfAborted();
      return unreadable(path, cause);
    });
    if (done) break;
    size += value.length;
    if (size > MOST_TEXT_BYTES) {
      await reader.cancel();
      wrongValue(OPERATION, `${path} of at most ${MOST_TEXT_BYTES} bytes`, 'more');
    }
    pieces.push(value);
  }
  return new Blob(pieces).text();
}

/** The length of a response's content, if it tells that. */
function lengthOf({ headers }: Response): number | undefined {
  const length = headers.get('content-length');
  return length === null || headers.has('content-encoding') ? undefined : Number(length);
}

/** The range that a response says it has, and the file's size if it says that. */
function rangeOf({ headers }: Response): { first: number; last: number; total: number | undefined } | undefined {
  const [found, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(headers.get('content-range') ?? '') ?? [];
  if (found === undefined) return undefined;
  return { first: Number(first), last: Number(last), total: total === '*' ? undefined : Number(total) };
}

/** The size of a file of unknown size, from its header: servers that compress do not tell it. */
async function sizeInHeader(file: AddressFile, signal: AbortSignal | undefined): Promise<number> {
  const source = file.open();
  try {
    if (GGUF_FILE.test(file.name)) return (await readHeader(OPERATION, source, signal)).entries.at(-1)?.end ?? 0;
    const read = async (start: number, count: number) => unlessAborted(signal, readBytes(source, start, count));
    const count = headerBytesOf(OPERATION, await read(0, LENGTH_BYTES), file.size);
    const entries = parseHeader(OPERATION, await read(LENGTH_BYTES, count));
    return LENGTH_BYTES + count + (entries.at(-1)?.end ?? 0);
  } finally {
    source.close();
  }
}

class AddressFile extends OwnFile {
  readonly #url: string;
  readonly #request: Fetch;

  constructor(name: string, size: number, url: string, request: Fetch) {
    super(name, size);
    this.#url = url;
    this.#request = request;
  }

  open(): Source {
    return new AddressSource(this, this.#url, this.#request);
  }
}

/** A stream's reader, of which some fill the room that they are given. */
interface Reader {
  read(room: Uint8Array): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

function readerOf(body: ReadableStream<Uint8Array>): Reader {
  try {
    return body.getReader({ mode: 'byob' }) as Reader;
  } catch {
    return body.getReader();
  }
}

/** Reads go on in the response of the last one where they can. */
class AddressSource implements Source {
  readonly name: string;
  readonly size: number;
  readonly isSequential = true;
  /** Whether the server sends the whole file, whatever is asked for. */
  isForward = false;
  readonly #url: string;
  readonly #request: Fetch;
  #controller: AbortController | undefined;
  #reader: Reader | undefined;
  /** Where bytes arrive, if the reader fills it: fresh memory for each piece would take as long as the rest. */
  #room = new Uint8Array(PIECE_BYTES);
  /** What has arrived and was not read yet; it begins at byte #at. */
  #rest = new Uint8Array(0);
  #at = 0;
  /** Where the response ends. */
  #end = 0;
  /** Whether the response does not say where it ends. */
  #isEndless = false;
  /** The version of the file that has been read so far, if the server tells it. */
  #version: string | undefined;

  constructor({ name, size }: AddressFile, url: string, request: Fetch) {
    this.name = name;
    this.size = size;
    this.#url = url;
    this.#request = request;
  }

  async read(target: Uint8Array, start: number, until: number): Promise<void> {
    const end = start + target.length;
    for (let at = start; at < end;) {
      const reader = this.#reaches(at) ?? (await this.#open(at, Math.max(until, end)));
      if (this.#rest.length === 0 && (await this.#isDone(reader))) wrongSize(this.name, this.size, this.#at);
      // Bytes before `at` are skipped.
      const skipped = Math.min(at - this.#at, this.#rest.length);
      const taken = Math.min(end - at, this.#rest.length - skipped);
      target.set(this.#rest.subarray(skipped, skipped + taken), at - start);
      this.#rest = this.#rest.subarray(skipped + taken);
      this.#at += skipped + taken;
      at += taken;
    }
    if (this.#isEndless && this.#at === this.size) await this.#checkEnd();
  }

  close(): void {
    this.#controller?.abort();
    this.#reader?.cancel().catch(() => undefined);
    this.#controller = this.#reader = undefined;
  }

  /** The response's reader, if it has the byte at `at` before it. */
  #reaches(at: number): Reader | undefined {
    const gap = at - this.#at;
    return gap >= 0 && at < this.#end && (this.isForward || gap <= GAP_BYTES) ? this.#reader : undefined;
  }

  async #open(start: number, until: number): Promise<Reader> {
    this.close();
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    const headers = { range: `bytes=${start}-${until - 1}` };
    const ask = (): Promise<Response> => this.#request(this.#url, { headers, signal });
    // While a tensor was packed, the server may have closed the connection, which Node notices only by a failure.
    const response = await ask()
      .catch(ask)
      .catch((cause: unknown) => broken(this.name, cause));
    const { status, body } = response;
    if ((status !== 200 && status !== 206) || !body) {
      return wrongValue(OPEN, fileNamed(this.name), `HTTP status ${status} of ${this.#url}`);
    }
    this.#checkVersion(response);
    this.isForward = status === 200;
    const range = this.isForward ? undefined : rangeOf(response);
    if (range && (range.first !== start || range.last < start)) {
      wrongValue(OPEN, `${fileNamed(this.name)} from byte ${start} on`, `bytes ${range.first}-${range.last}`);
    }
    const size = this.isForward ? lengthOf(response) : range?.total;
    if (size !== undefined && size !== this.size) wrongSize(this.name, this.size, size);
    this.#isEndless = this.isForward && size === undefined;
    this.#at = this.isForward ? 0 : start;
    // A server may send less than was asked for.
    this.#end = this.isForward ? this.size : Math.min(until, (range?.last ?? until) + 1);
    this.#rest = new Uint8Array(0);
    this.#reader = readerOf(body);
    return this.#reader;
  }

  /** Waits for the next bytes, or the end. */
  async #isDone(reader: Reader): Promise<boolean> {
    const { done, value } = await reader.read(this.#room).catch((cause: unknown) => broken(this.name, cause));
    if (value) {
      this.#rest = value as Uint8Array<ArrayBuffer>;
      this.#room = new Uint8Array(this.#rest.buffer);
    }
    return done;
  }

  /** Throws for a response of another version than the last one's: parts of two files are none. */
  #checkVersion({ headers }: Response): void {
    const version = headers.get('etag');
    // A weak one does not stand for the same bytes.
    if (version === null || version.startsWith('W/')) return;
    if (version !== (this.#version ??= version)) {
      wrongValue(OPEN, `${fileNamed(this.name)} that stays the same while it is read`, `version ${version}`);
    }
  }

  /** Throws for a file that goes on after its last byte. */
  async #checkEnd(): Promise<void> {
    this.#isEndless = false;
    while (this.#rest.length === 0) {
      if (await this.#isDone(this.#reader!)) return;
    }
    wrongSize(this.name, this.size, this.size + this.#rest.length);
  }
}
