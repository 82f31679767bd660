import { openModel, type AsyncModel } from 'wasm-attention/models';
import { loadWorker, type AsyncWasmAttention } from 'wasm-attention/worker';
import { SlowTokenizer, Tokenizer, type TokenizerFiles } from './tokenizer.js';

/** The most bytes of weights: a browser cannot read a larger file, and WebAssembly can address only twice as much. */
const MAX_BYTES = 2 ** 31 - 1;

/** Why a checkpoint cannot be opened; `detail` is a file's name, a size or the library's message. */
export class CheckpointError extends Error {
  constructor(
    readonly reason: 'noConfig' | 'noWeights' | 'noJson' | 'tooLarge' | 'refused',
    readonly detail: string,
  ) {
    super(`${reason}: ${detail}`);
    this.name = 'CheckpointError';
  }
}

/** A checkpoint's files. */
export interface Files {
  readonly name: string;
  readonly config: unknown;
  readonly weights: readonly (Blob | Uint8Array<ArrayBuffer>)[];
  /** Undefined if the folder has none. */
  readonly tokenizer: TokenizerFiles | undefined;
}

/** A model in a worker, and its tokenizer in another. */
export interface Checkpoint {
  readonly name: string;
  readonly model: AsyncModel;
  /** Undefined if the folder has none: texts are then token ids. */
  readonly tokenizer: Tokenizer | undefined;
}

let worker: Promise<AsyncWasmAttention> | undefined;

/**
 * Picks a checkpoint's files from a folder.
 *
 * @throws CheckpointError if a file is missing or unreadable, or the weights are too large
 */
export async function filesOf(all: readonly File[]): Promise<Files> {
  const named = (name: string): File | undefined => all.find((file) => file.name === name);
  const json = async (file: File): Promise<object> => {
    try {
      return JSON.parse(await file.text()) as object;
    } catch {
      throw new CheckpointError('noJson', file.name);
    }
  };
  const weights = all.filter(({ name }) => name.endsWith('.safetensors'));
  const config = named('config.json');
  if (config === undefined) throw new CheckpointError('noConfig', 'config.json');
  if (weights.length === 0) throw new CheckpointError('noWeights', '*.safetensors');
  const bytes = weights.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_BYTES) throw new CheckpointError('tooLarge', (bytes / 1e9).toFixed(1));
  const [tokenizer, settings] = [named('tokenizer.json'), named('tokenizer_config.json')];
  return {
    name: /^[^/]+(?=\/)/.exec(config.webkitRelativePath)?.[0] ?? weights[0]?.name ?? '',
    config: await json(config),
    weights,
    tokenizer: tokenizer && { json: await json(tokenizer), config: settings ? await json(settings) : {} },
  };
}

/** The small model that comes with the page. */
export async function stories(): Promise<Files> {
  const { files } = await import('../../elements/story-model.js');
  return {
    name: 'stories260K',
    config: files.config,
    weights: [files.weights()],
    tokenizer: { json: files.tokenizer, config: files.tokenizerConfig },
  };
}

/**
 * Opens a checkpoint in the worker; `onProgress` receives the share of its bytes that is read.
 *
 * @throws CheckpointError with the library's message about the config, a tensor or memory
 * @throws SlowTokenizer
 */
export async function open(files: Files, onProgress: (share: number) => void): Promise<Checkpoint> {
  const tokenizer = files.tokenizer && new Tokenizer(files.tokenizer);
  let model: AsyncModel | undefined;
  try {
    worker ??= loadWorker().catch((error: unknown) => {
      // The next attempt may have a network again.
      worker = undefined;
      throw error;
    });
    model = await openModel({
      config: files.config,
      weights: files.weights,
      attention: (await worker).with({ transfer: true }),
      onProgress: (done, total) => onProgress(done / total),
    });
    await tokenizer?.start();
    return { name: files.name, model, tokenizer };
  } catch (error) {
    void model?.dispose();
    if (error instanceof SlowTokenizer) throw error;
    throw new CheckpointError('refused', error instanceof Error ? error.message : String(error));
  }
}
