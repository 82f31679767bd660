import { simd } from 'wasm-feature-detect';

import { failed, tagOf, wrongKind, wrongValue } from '../check/values.js';
import { featuresOf, instantiateCore } from './embind.js';
import type { WasmModule } from './hostTypes.js';
import { Memory } from './memory.js';
import type { Wasm } from './wasm.js';

const OPERATION = 'load';

/** The forms in which the wasm can be given. */
export type WasmSource = URL | string | Response | Promise<Response> | ArrayBuffer | ArrayBufferView | WasmModule;

/** Compiles and instantiates the module for one thread. */
export async function instantiate(source: WasmSource): Promise<Wasm> {
  const module = await compile(source).catch(explain);
  // With a wasm that is not this library's, imports or exports are missing, which causes a TypeError.
  const raw = await instantiateCore(module).catch((cause: unknown) => explain(cause, 'TypeError'));
  return { raw, memory: new Memory(raw), features: featuresOf(raw) };
}

/**
 * Names the cause of an error of the engine. Other errors come from wrong arguments and are thrown unchanged.
 *
 * @param also the name of another error that the engine throws here
 */
async function explain(cause: unknown, also = ''): Promise<never> {
  const { name, message } = cause as Error;
  if (typeof WebAssembly === 'undefined') return failed(OPERATION, 'an engine with WebAssembly', 'none', cause);
  // WebKit throws an EvalError if a policy forbids WebAssembly.
  if (!['CompileError', 'LinkError', 'RuntimeError', 'EvalError', also].includes(name)) throw cause;
  const wanted = /polic|\bCSP\b|unsafe-eval/i.test(message)
    ? "a content security policy with 'wasm-unsafe-eval' in script-src"
    : message.includes('embedder')
      ? 'load({ wasm }) with a WebAssembly.Module, where bytes cannot be compiled'
      : (await simd())
        ? 'the wasm of this version'
        : 'an engine with WebAssembly SIMD';
  return failed(OPERATION, wanted, message, cause);
}

/** Compiles the module, wherever it comes from. */
export async function compile(source: WasmSource): Promise<WasmModule> {
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
  const type = response.headers.get('content-type') ?? '';
  // Some servers answer with a page where there is no file.
  if (type.startsWith('text/html')) wrongValue(OPERATION, 'the wasm', `HTML${of}`);
  try {
    // Streaming requires the right media type, which not every static server sends.
    if (type.startsWith('application/wasm')) return await WebAssembly.compileStreaming(response);
    // Next's edge runtime puts the argument into a function that is not async.
    const bytes = await response.arrayBuffer();
    return await WebAssembly.compile(bytes);
  } catch (cause) {
    const { name, message } = cause as Error;
    if (name !== 'TypeError') throw cause;
    return failed(OPERATION, 'the wasm', `a part (${message})${of}`, cause);
  }
}
