import { checkOptions, type Known } from '../../check/options.js';
import { tagOf, wrongKind, wrongValue } from '../../check/values.js';
import type { WebDirectory, WebDrop, WebFile } from '../../runtime/hostTypes.js';
import { checkSignal } from '../calls.js';
import { fileNamesOf } from '../files.js';
import { addressFolder } from './address.js';
import { diskFolder, nodeFiles } from './disk.js';
import { OPERATION, type Folder } from './folder.js';
import { GGUF_FILE } from '../gguf/header.js';
import { checkWhole, ggufCheckpoint, ggufIn } from './gguf.js';
import { dropFolder, filesFolder, handleFolder, type AnyFile } from './listed.js';
import { sentenceModules } from './sentence.js';
import type { Checkpoint, WeightFile } from './types.js';

/** The options of `readCheckpoint`. */
export interface ReadCheckpointOptions {
  /** Fetches files behind an address, now and in `openModel`. Default: the global one. */
  fetch?: typeof fetch;
  /** Ends the reading with its reason. */
  signal?: AbortSignal;
}

const OPTIONS: Known<ReadCheckpointOptions> = { fetch: 1, signal: 1 };
const [CONFIG, INDEX, WEIGHTS] = ['config.json', 'model.safetensors.index.json', 'model.safetensors'] as const;
/** Forms of weights that are not read, and their usual names where a folder cannot be listed. */
const OTHERS = /^(?!training_args|optimizer|scheduler).*\.(bin|onnx|pt|pth|ckpt|h5|msgpack)$/i;
const USUAL_OTHERS = ['pytorch_model.bin', 'pytorch_model.bin.index.json', 'model.onnx', 'onnx/model.onnx'];

/**
 * Reads the small files of a published folder, and finds its weights, which `openModel` reads. A GGUF file, or a folder
 * that has one and no safetensors, gives a checkpoint without `config`, whose `tokenizer` is made of the file's metadata.
 *
 * @param folder an address, in Node also a path or a `file:` URL; a File that is called .gguf; the files of a directory input, a drop's
 *   DataTransfer, or a FileSystemDirectoryHandle. The config.json is the one directly in the folder; that of Files is
 *   the longest common folder of their paths.
 * @throws RangeError that names the file that is missing, and what is there instead; TypeError for what is no folder
 * @example
 * const checkpoint = await readCheckpoint('https://example.com/all-MiniLM-L6-v2/');
 * const model = await openModel({ ...checkpoint, weightType: 'int8' });
 */
export async function readCheckpoint(
  folder: string | URL | WebFile | WebDirectory | WebDrop | Iterable<WebFile>,
  options?: ReadCheckpointOptions,
): Promise<Checkpoint> {
  const { fetch: given, signal } = checkOptions(OPERATION, options, OPTIONS);
  if (given != null && typeof given !== 'function') wrongKind(OPERATION, 'fetch to be a function', given);
  checkSignal(OPERATION, signal);
  signal?.throwIfAborted();
  // Not `fetch` alone, which a page may replace later.
  const { opened, gguf } = openFolder(folder, given ?? ((...args) => fetch(...args)), signal ?? undefined);
  const json = async (path: string): Promise<unknown> => {
    const text = await opened.text(path);
    signal?.throwIfAborted();
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text) as unknown;
    } catch (error) {
      return wrongValue(OPERATION, `${path} to be JSON`, (error as Error).message);
    }
  };
  const needed = async (path: string): Promise<unknown> => {
    const found = await json(path);
    return found === undefined ? missing(opened, path) : found;
  };
  const file = async (path: string): Promise<WeightFile> => {
    const found = await opened.file(path);
    signal?.throwIfAborted();
    return found ?? missing(opened, path);
  };
  const tokenizerOf = async (): Promise<Checkpoint['tokenizer']> => {
    const [tokenizer, tokenizerConfig] = await Promise.all(['tokenizer.json', 'tokenizer_config.json'].map(json));
    return tokenizer === undefined ? undefined : { json: tokenizer, config: tokenizerConfig ?? {} };
  };
  const single = gguf ?? (await ggufIn(opened));
  signal?.throwIfAborted();
  if (single !== undefined) {
    checkWhole(single);
    // Where a folder was given, its tokenizer.json comes before the file's own form of it.
    return ggufCheckpoint(
      await file(single),
      gguf === undefined ? await tokenizerOf() : undefined,
      signal ?? undefined,
    );
  }
  const config = await needed(CONFIG);
  const index = await json(INDEX);
  const weights = await weightsOf(opened, index, file);
  const [tokenizer, generationConfig, image, modules] = await Promise.all([
    tokenizerOf(),
    ...['generation_config.json', 'preprocessor_config.json', 'modules.json'].map(json),
  ]);
  const sentence = modules === undefined ? undefined : await sentenceModules(modules, needed, file);
  return {
    config,
    weights,
    ...(index !== undefined && { index }),
    ...(generationConfig !== undefined && { generationConfig }),
    ...(image !== undefined && { imageConfig: withProcessor(image, config) }),
    ...(sentence && { sentence }),
    ...(tokenizer && { tokenizer }),
  };
}

interface Opened {
  readonly opened: Folder;
  /** The file's name, if a GGUF file was given in place of a folder. */
  readonly gguf?: string;
}

/** Runs at once, because a drop is empty after its event. */
function openFolder(folder: unknown, request: typeof fetch, signal: AbortSignal | undefined): Opened {
  const none = (): never => wrongKind(OPERATION, 'a folder: an address, a path, files, a drop or a handle', folder);
  const tag = tagOf(folder);
  if (typeof folder === 'string' || tag === 'URL') {
    const fs = nodeFiles();
    const url = urlOf(folder as string | URL, fs !== undefined);
    if (url === undefined) return none();
    const [at, file] = parent(url);
    const gguf = file !== undefined && { gguf: file };
    if (typeof at === 'string' || at.protocol === 'file:') return fs ? { opened: diskFolder(at, fs), ...gguf } : none();
    return /^https?:$/.test(at.protocol) ? { opened: addressFolder(at, request, signal), ...gguf } : none();
  }
  if (Object(folder) !== folder) return none();
  const { kind, items, name } = folder as { kind?: unknown; items?: unknown; name?: unknown };
  if (tag === 'FileSystemDirectoryHandle' || kind === 'directory') {
    return { opened: handleFolder(folder as WebDirectory) };
  }
  if (tag === 'DataTransfer' || Symbol.iterator in Object(items)) {
    return { opened: dropFolder(folder as WebDrop) };
  }
  if (tag === 'File' && GGUF_FILE.test(String(name))) {
    return { opened: filesFolder([folder as AnyFile]), gguf: String(name) };
  }
  if (!(Symbol.iterator in (folder as object)) || ArrayBuffer.isView(folder)) return none();
  const files = [...(folder as Iterable<AnyFile>)];
  for (const each of files) if (tagOf(each) !== 'File') wrongKind(OPERATION, 'a list of Files', each);
  return { opened: filesFolder(files) };
}

/** The folder of a GGUF file, and its name; of a folder, itself. */
function parent(at: URL | string): readonly [folder: URL | string, file?: string] {
  const path = typeof at === 'string' ? at : at.pathname;
  if (!GGUF_FILE.test(path)) return [at];
  const [, folder, file] = /^(.*[/\\])?(.*)$/s.exec(path)! as unknown as [string, string | undefined, string];
  if (typeof at === 'string') return [folder ?? '.', file];
  const base = new URL(at);
  base.pathname = folder!;
  return [base, decoded(file)];
}

/** An address or a path; undefined for an address without a page that it could be on. */
function urlOf(folder: string | URL, hasDisk: boolean): URL | string | undefined {
  if (typeof folder !== 'string') return folder;
  try {
    if (/^[a-z][a-z\d+.-]+:/i.test(folder)) return new URL(folder);
    if (hasDisk) return folder === '' ? undefined : folder;
    return new URL(folder, globalThis.document?.baseURI ?? globalThis.location?.href);
  } catch {
    return undefined;
  }
}

/** A file's name in an address. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** The files that the index names; without one, model.safetensors or else all that the folder has. */
async function weightsOf(
  folder: Folder,
  index: unknown,
  file: (path: string) => Promise<WeightFile>,
): Promise<WeightFile[]> {
  if (index !== undefined) {
    return Promise.all([...new Set(fileNamesOf(OPERATION, index).values())].map(file));
  }
  const single = await folder.file(WEIGHTS);
  if (single) return [single];
  const names = (await folder.names()).filter((name) => /\.safetensors$/i.test(name)).sort();
  return names.length > 0 ? Promise.all(names.map(file)) : [await file(WEIGHTS)];
}

/** Throws for a file that is missing; the message has the weights that are there instead, in the same folder. */
async function missing(folder: Folder, path: string): Promise<never> {
  const [, below = '', file] = /^(.*\/)?(.*)$/.exec(path)!;
  const names = below === '' ? (await folder.names()).filter((name) => OTHERS.test(name)) : [];
  if (names.length === 0 && file === WEIGHTS) {
    for (const name of USUAL_OTHERS) if (await folder.file(below + name)) names.push(below + name);
  }
  return wrongValue(OPERATION, path, names.join(', ') || 'none');
}

/** The config of pictures, with the model's type where it names no processor. */
function withProcessor(image: unknown, config: unknown): unknown {
  if (tagOf(image) !== 'Object') return image;
  const { image_processor_type: own, feature_extractor_type: old } = image as Record<string, unknown>;
  if (own != null || old != null) return image;
  return { ...(image as object), model_type: (Object(config) as { model_type?: unknown }).model_type };
}
