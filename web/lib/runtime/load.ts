import { checkOptions, type Known } from '../check/options.js';
import { checkBoolean, checkInteger, failed, tagOf, wrongKind, wrongValue } from '../check/values.js';
import { featuresOf, instantiateCore } from './embind.js';
import { Memory } from './memory.js';
import type { Wasm } from './wasm.js';

/** The forms in which the wasm can be given. */
export type WasmSource = URL | string | Response | Promise<Response> | BufferSource | WebAssembly.Module;

export interface LoadOptions {
  /**
   * The wasm to use instead of the package's own, plain or for relaxed SIMD: for streaming compilation, a CSP, a
   * service worker or tests.
   */
  wasm?: WasmSource;
  /**
   * How many threads share the work of a call, including the caller's: 1 to 64, default 1. More than one thread needs
   * SharedArrayBuffer (in browsers: cross-origin isolation) and loads another wasm of the package. If either is
   * missing, or with the option `wasm`, one thread is used; `features.threads` is then 1, and the console says why.
   * Results are the same to the bit for any number of threads. The first call of `load` decides, and each one with
   * `fresh`.
   */
  threads?: number;
  /**
   * Whether to make a new instance, with memory and threads of its own, in place of the one that `load` made before:
   * after an error that asks for it, and where a thread has died. Later calls return the new one. What was made with
   * the old one, its layers for instance, goes on working with that and not with the new one. Default false.
   */
  fresh?: boolean;
}

/** The options of the entry that has the layers in a separate file. */
export interface SlimLoadOptions extends LoadOptions {
  /**
   * Whether to load the file with the layers, gradients, `conv1d`, `rnn` and `complexity` too. Default true. With
   * `false` you get attention and positions alone; a later call without it adds the rest to the same wasm.
   */
  layers?: boolean;
}

export const OPERATION = 'load';
export const LOAD_OPTIONS: Known<LoadOptions> = { wasm: 1, threads: 1, fresh: 1 };
export const SLIM_LOAD_OPTIONS: Known<SlimLoadOptions> = { ...LOAD_OPTIONS, layers: 1 };
const MAX_THREADS = 64;

/**
 * Makes the `load` of an entry. It compiles and instantiates the module once, and later calls return the same promise,
 * until one asks for a fresh instance. After a failure the next call tries again.
 *
 * @param packaged the package's wasm, or its address
 * @param finish turns the loaded module into what users get
 * @param known the entry's options
 * @param threaded the address of the wasm for threads, unless it is part of the code
 */
export function createLoader<T>(
  packaged: () => WasmSource | Promise<URL>,
  finish: (wasm: Wasm) => T,
  known: Known<LoadOptions>,
  threaded?: () => Promise<URL>,
): (options?: LoadOptions) => Promise<T> {
  let loaded: Promise<T> | undefined;
  const start = async (wasm: WasmSource | undefined, threads: number): Promise<Wasm> => {
    const alone = async (): Promise<Wasm> => instantiate(wasm ?? (await packaged()));
    if (threads > 1) {
      try {
        if (wasm !== undefined) throw new Error('the wasm given is for one');
        const { instantiateThreads } = await import('./threads.js');
        return await instantiateThreads(threads, alone, Memory, threaded && (async () => compileUrl(await threaded())));
      } catch (error) {
        // eslint-disable-next-line no-console -- the call succeeds, but with fewer threads than requested
        console.warn(`load: expected ${threads} threads, got 1: ${(error as Error).message}`);
      }
    }
    return alone();
  };
  const begin = (options?: LoadOptions): Promise<T> => {
    const given = checkOptions<SlimLoadOptions>(OPERATION, options, known as typeof SLIM_LOAD_OPTIONS);
    const { wasm, threads = 1, layers = true, fresh = false } = given;
    checkInteger(OPERATION, 'threads', threads, 1, MAX_THREADS);
    checkBoolean(OPERATION, 'layers', layers);
    if (checkBoolean(OPERATION, 'fresh', fresh)) loaded = undefined;
    loaded ??= start(wasm, threads).then(finish, (error: unknown) => {
      if (loaded === loading) loaded = undefined;
      throw error;
    });
    const loading = loaded;
    return loading;
  };
  return (options) => {
    try {
      return begin(options);
    } catch (error) {
      const mistake = error as Error;
      return Promise.reject(mistake);
    }
  };
}

async function instantiate(source: WasmSource): Promise<Wasm> {
  const module = await compile(source).catch(explain);
  // With a wasm that is not this library's, imports or exports are missing, which causes a TypeError.
  const raw = await instantiateCore(module).catch((cause: unknown) => explain(cause, 'TypeError'));
  return { raw, memory: new Memory(raw), features: featuresOf(raw) };
}

/**
 * Explains an error of the engine. Other errors come from wrong arguments and are thrown unchanged.
 *
 * @param also the name of another error that the engine throws here
 */
function explain(cause: unknown, also = ''): never {
  const { name, message } = cause as Error;
  if (!['CompileError', 'LinkError', 'RuntimeError', also].includes(name)) throw cause;
  return failed(OPERATION, 'the wasm of this version', `${message}; it needs WebAssembly SIMD`, cause);
}

async function compile(source: WasmSource): Promise<WebAssembly.Module> {
  const tag = tagOf(source);
  if (tag === 'WebAssembly.Module') return source;
  if (tag.endsWith('ArrayBuffer') || ArrayBuffer.isView(source)) {
    return WebAssembly.compile(source as BufferSource);
  }
  if (typeof source === 'string' || tag === 'URL') return compileUrl(source as string | URL);
  if (tag === 'Response' || tag === 'Promise') return compileResponse(await (source as Promise<Response>));
  return wrongKind(OPERATION, 'wasm to be a URL, Response, bytes or WebAssembly.Module', source);
}

async function compileUrl(url: string | URL): Promise<WebAssembly.Module> {
  // Node's fetch does not read files. Bundlers do not notice getBuiltinModule, unlike an import of node:fs.
  const fs = String(url).startsWith('file:') && globalThis.process?.getBuiltinModule?.('node:fs/promises');
  const open = async (): Promise<WasmSource> => (fs ? fs.readFile(new URL(url)) : fetch(url));
  return compile(
    await open().catch((cause: unknown) =>
      failed(OPERATION, `the wasm at ${String(url)}`, (cause as Error).message, cause),
    ),
  );
}

async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  if (tagOf(response) !== 'Response') wrongKind(OPERATION, 'wasm to resolve to a Response', response);
  const of = response.url && ` of ${response.url}`;
  if (!response.ok) wrongValue(OPERATION, 'the wasm', `HTTP status ${response.status}${of}`);
  try {
    // Streaming requires the right media type, which not every static server sends.
    return response.headers.get('content-type')?.startsWith('application/wasm')
      ? await WebAssembly.compileStreaming(response)
      : await WebAssembly.compile(await response.arrayBuffer());
  } catch (cause) {
    const { name, message } = cause as Error;
    if (name !== 'TypeError') throw cause;
    return failed(OPERATION, 'the wasm', `a part (${message})${of}`, cause);
  }
}
