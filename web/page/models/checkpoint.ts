import { openModel, readCheckpoint, type AsyncModel, type Checkpoint as Published } from 'wasm-attention/models';
import { loadWorker, type AsyncWasmAttention } from 'wasm-attention/worker';
import { SlowTokenizer, Tokenizer, type TokenizerFiles } from './tokenizer.js';

/** Why a checkpoint cannot be opened; `detail` is a file's name or the library's message. */
export class CheckpointError extends Error {
  constructor(
    readonly reason: 'noConfig' | 'noWeights' | 'otherWeights' | 'noJson' | 'refused',
    readonly detail: string,
  ) {
    super(`${reason}: ${detail}`);
    this.name = 'CheckpointError';
  }
}

/** What a reader chooses or drops. */
export type Given = readonly File[] | DataTransfer;

/** A checkpoint's files. */
export interface Files {
  readonly name: string;
  readonly checkpoint: Published;
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
 * Reads the small files of a folder. A drop is empty after its event, so this is called in it.
 *
 * @throws CheckpointError if a file is missing or unreadable
 */
export async function filesOf(given: Given, name: string): Promise<Files> {
  try {
    return { name, checkpoint: await readCheckpoint(given) };
  } catch (error) {
    throw refusal(error);
  }
}

/** What the library's errors say, in the words of the page. */
function refusal(error: unknown): CheckpointError {
  const message = error instanceof Error ? error.message : String(error);
  const [, expected = '', got = ''] = /expected (\S+)(?: to be JSON)?, got (.*)$/s.exec(message) ?? [];
  if (message.includes(' to be JSON, ')) return new CheckpointError('noJson', expected);
  if (expected === 'config.json') return new CheckpointError('noConfig', expected);
  if (expected !== 'model.safetensors') return new CheckpointError('refused', message);
  return got === 'none' ? new CheckpointError('noWeights', expected) : new CheckpointError('otherWeights', got);
}

/** The small model that comes with the page. */
export async function stories(): Promise<Files> {
  const { files } = await import('../../elements/story-model.js');
  return {
    name: 'stories260K',
    checkpoint: {
      config: files.config,
      weights: [new Blob([files.weights()])],
      tokenizer: { json: files.tokenizer, config: files.tokenizerConfig },
    },
  };
}

/**
 * Opens a checkpoint in the worker; `onProgress` receives the bytes read so far, and of all that will be read.
 *
 * @throws CheckpointError with the library's message about the config, a tensor or memory
 * @throws SlowTokenizer
 */
export async function open(files: Files, onProgress: (done: number, total: number) => void): Promise<Checkpoint> {
  const { checkpoint } = files;
  const tokenizer = checkpoint.tokenizer && new Tokenizer(checkpoint.tokenizer as TokenizerFiles);
  let model: AsyncModel | undefined;
  try {
    worker ??= loadWorker().catch((error: unknown) => {
      // The next attempt may have a network again.
      worker = undefined;
      throw error;
    });
    model = await openModel({ ...checkpoint, attention: await worker, onProgress });
    await tokenizer?.start();
    return { name: files.name, model, tokenizer };
  } catch (error) {
    void model?.dispose();
    if (error instanceof SlowTokenizer) throw error;
    throw new CheckpointError('refused', error instanceof Error ? error.message : String(error));
  }
}
