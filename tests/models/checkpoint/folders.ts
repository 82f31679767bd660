/** Published folders for tests: their files, and servers that have them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSafetensors, writeSafetensors, type Tensor } from 'wasm-attention';
import { checkpoint } from '../fixtures.js';

/** The files of a folder by their paths. */
export type Files = Record<string, Uint8Array<ArrayBuffer>>;

export const json = (value: unknown): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify(value));

/** A checkpoint of tests/fixtures/models in one file. */
export function published(name: string): Files {
  const { config, bytes } = checkpoint(name);
  return { 'config.json': json(config), 'model.safetensors': bytes };
}

/** Its tensors spread over files, with an index. */
export function sharded(name: string, count: number): Files {
  const { config, bytes } = checkpoint(name);
  const tensors = Object.entries(readSafetensors(bytes));
  const shards = Array.from({ length: count }, (_, i) => tensors.filter((__, j) => j % count === i));
  const nameOf = (i: number): string => `model-0000${i + 1}-of-0000${count}.safetensors`;
  const map = shards.flatMap((shard, i) => shard.map(([tensor]) => [tensor, nameOf(i)] as const));
  return {
    'config.json': json(config),
    'model.safetensors.index.json': json({ metadata: {}, weight_map: Object.fromEntries(map) }),
    ...Object.fromEntries(shards.map((shard, i) => [nameOf(i), write(Object.fromEntries(shard))])),
  };
}

export function write(tensors: Record<string, Tensor>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(writeSafetensors(tensors));
}

/** Files as a directory input gives them, or without paths. */
export function filesOf(files: Files, folder = 'model/'): File[] {
  return Object.entries(files).map(([path, bytes]) => {
    const file = new File([bytes], path.replace(/.*\//, ''));
    return folder === '' ? file : Object.defineProperty(file, 'webkitRelativePath', { value: folder + path });
  });
}

export interface ServerOptions {
  /** Whether it answers with the bytes that a Range asks for. Default true. */
  readonly ranges?: boolean;
  /** Whether it tells lengths. Default true. */
  readonly lengths?: boolean;
  /** Whether it answers HEAD. Default true. */
  readonly head?: boolean;
  /** How many bytes of weights it sends before the line breaks. */
  readonly breaksAfter?: number;
  /** Bytes of a chunk. */
  readonly chunk?: number;
  /** The status of a path's answer. */
  readonly statuses?: Readonly<Record<string, number>>;
}

/** A server of a folder at https://example.org/model/, and what it has been asked for. */
export function serverOf(files: Files, options: ServerOptions = {}): { fetch: typeof fetch; asked: string[] } {
  const {
    ranges = true,
    lengths = true,
    head = true,
    breaksAfter = Infinity,
    chunk = 1 << 16,
    statuses = {},
  } = options;
  const asked: string[] = [];
  let sent = 0;
  const bodyOf = (bytes: Uint8Array<ArrayBuffer>, isWeights: boolean): ReadableStream<Uint8Array> => {
    let at = 0;
    return new ReadableStream({
      pull(controller) {
        if (isWeights && sent >= breaksAfter) {
          controller.error(new Error('the line broke'));
          return;
        }
        const end = Math.min(at + chunk, bytes.length, isWeights ? at + breaksAfter - sent : Infinity);
        if (end > at) controller.enqueue(bytes.slice(at, end));
        if (isWeights) sent += end - at;
        at = end;
        if (at === bytes.length) controller.close();
      },
    });
  };
  const request = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
    await Promise.resolve();
    init.signal?.throwIfAborted();
    const { pathname, search } = new URL(String(input));
    const { method = 'GET' } = init;
    const range = new Headers(init.headers).get('range');
    const path = pathname.replace('/model/', '');
    asked.push([method === 'GET' ? '' : `${method} `, path, search, range === null ? '' : ` ${range}`].join(''));
    const status = (method === 'HEAD' && !head ? 405 : undefined) ?? statuses[path] ?? (files[path] ? 200 : 404);
    const bytes = files[path];
    if (status !== 200 || !bytes) return new Response('', { status });
    const isWeights = path.endsWith('.safetensors');
    const length = lengths ? { 'content-length': String(bytes.length) } : undefined;
    if (method === 'HEAD') return new Response(null, { headers: length ?? {} });
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
    if (!ranges || first === undefined) {
      return new Response(bodyOf(bytes, isWeights), { headers: length ?? {} });
    }
    const part = bytes.slice(Number(first), Number(last) + 1);
    const headers = { 'content-range': `bytes ${first}-${last}/${lengths ? bytes.length : '*'}` };
    return new Response(bodyOf(part, isWeights && part.length > 1), { status: 206, headers });
  };
  return { fetch: request, asked };
}

export const ADDRESS = 'https://example.org/model';

/** A directory handle of the File System API. */
export function handleOf(files: Files, prefix = ''): FileSystemDirectoryHandle {
  const missing = (): never => {
    throw new DOMException('none', 'NotFoundError');
  };
  const handle = {
    kind: 'directory',
    async *keys() {
      await Promise.resolve();
      for (const path of Object.keys(files)) {
        if (path.startsWith(prefix)) yield path.slice(prefix.length).split('/')[0];
      }
    },
    async getDirectoryHandle(name: string) {
      await Promise.resolve();
      const inner = `${prefix}${name}/`;
      return Object.keys(files).some((path) => path.startsWith(inner)) ? handleOf(files, inner) : missing();
    },
    async getFileHandle(name: string) {
      await Promise.resolve();
      const bytes = files[prefix + name];
      return bytes ? { kind: 'file', getFile: () => Promise.resolve(new File([bytes], name)) } : missing();
    },
  };
  return handle as unknown as FileSystemDirectoryHandle;
}

/** A drop of a folder, which is empty after its event. */
export function dropOf(files: Files): DataTransfer {
  const entryOf = (path: string, isFile: boolean, children: unknown[] = []): unknown => ({
    isFile,
    name: path.replace(/.*\//, ''),
    fullPath: `/${path}`,
    file: (found: (file: File) => void) =>
      found(new File([files[path.replace(/^model\//, '')]!], path.replace(/.*\//, ''))),
    createReader: () => {
      const batches = [children.slice(0, 1), children.slice(1), []];
      return { readEntries: (found: (entries: unknown[]) => void) => found(batches.shift()!) };
    },
  });
  const within = (folder: string): unknown[] => {
    const names = new Set(
      Object.keys(files).flatMap((path) => {
        const full = `model/${path}`;
        return full.startsWith(folder) ? [full.slice(folder.length).split('/')[0]!] : [];
      }),
    );
    return [...names].map((name) => {
      const full = folder + name;
      const isFile = files[full.replace(/^model\//, '')] !== undefined;
      return entryOf(full, isFile, isFile ? [] : within(`${full}/`));
    });
  };
  let items = [{ kind: 'file', webkitGetAsEntry: () => entryOf('model', false, within('model/')) }];
  setTimeout(() => (items = []));
  return {
    get items() {
      return items;
    },
  } as unknown as DataTransfer;
}

/** A file of tests/fixtures. */
export const fixture = (path: string): Buffer => readFileSync(join(import.meta.dirname, '../../fixtures', path));
