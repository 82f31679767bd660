import {
  openModel,
  readCheckpoint,
  type AsyncModel,
  type AsyncVisionModel,
  type Checkpoint as Published,
  type Part,
} from 'wasm-attention/models';
import { loadWorker, type AsyncWasmAttention } from 'wasm-attention/worker';
import { sizesOf, type Sizes, type WeightType } from './sizes.js';
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
  /** Undefined for files that the library will refuse. */
  readonly sizes: Sizes | undefined;
}

/** How to open a checkpoint. */
export interface Opening {
  readonly weightType: WeightType;
  readonly signal: AbortSignal;
  /** Receives the bytes read so far, and of all that will be read. */
  readonly onProgress: (done: number, total: number) => void;
}

interface Opened {
  readonly name: string;
  /** Undefined if the folder has none: texts are then token ids. */
  readonly tokenizer: Tokenizer | undefined;
  /** Frees all that is open. */
  dispose(): void;
}

/** A model that reads texts, in a worker, and its tokenizer in another. */
export interface TextCheckpoint extends Opened {
  readonly kind: 'texts';
  readonly model: AsyncModel;
  /** The number of neurons in a layer. */
  readonly numNeurons: number;
}

/** A model that reads pictures. */
export interface PictureCheckpoint extends Opened {
  readonly kind: 'pictures';
  readonly model: AsyncVisionModel;
  /** The part that reads texts, where pictures are compared with texts. */
  readonly texts: AsyncModel | undefined;
  /** preprocessor_config.json, or the model's type alone. */
  readonly imageConfig: unknown;
  /** Whether the folder has that file. */
  readonly isPrepared: boolean;
}

export type Checkpoint = TextCheckpoint | PictureCheckpoint;

let worker: Promise<AsyncWasmAttention> | undefined;

/**
 * Reads the small files of a folder. A drop is empty after its event, so this is called in it.
 *
 * @throws CheckpointError if a file is missing or unreadable
 */
export async function filesOf(given: Given, name: string): Promise<Files> {
  try {
    return await sized(name, await readCheckpoint(given));
  } catch (error) {
    throw refusal(error);
  }
}

async function sized(name: string, checkpoint: Published): Promise<Files> {
  return { name, checkpoint, sizes: await sizesOf(checkpoint.weights) };
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
  return sized('stories260K', {
    config: files.config,
    weights: [new Blob([files.weights()])],
    tokenizer: { json: files.tokenizer, config: files.tokenizerConfig },
  });
}

/**
 * Opens a checkpoint in the worker.
 *
 * @throws CheckpointError with the library's message about the config, a tensor or memory
 * @throws SlowTokenizer
 */
export async function open({ name, checkpoint }: Files, how: Opening): Promise<Checkpoint> {
  const { config, imageConfig } = checkpoint;
  const tokenizer = checkpoint.tokenizer && new Tokenizer(checkpoint.tokenizer as TokenizerFiles);
  const models: (AsyncModel | AsyncVisionModel)[] = [];
  const dispose = (): void => {
    tokenizer?.dispose();
    for (const model of models) void model.dispose();
  };
  try {
    worker ??= loadWorker().catch((error: unknown) => {
      // The next attempt may have a network again.
      worker = undefined;
      throw error;
    });
    const attention = await worker;
    const openPart = async (part?: Part): Promise<void> => {
      models.push(await openModel({ ...checkpoint, attention, ...how, ...(part && { part }) }));
    };
    try {
      await openPart();
    } catch (error) {
      if (!asks(error, "part 'vision' or 'text'")) throw error;
      await openPart('vision');
      await openPart('text').catch((reason: unknown) => {
        // Some can be opened for pictures alone.
        if (!asks(reason, "part to be 'vision'")) throw reason;
      });
    }
    await tokenizer?.start();
  } catch (error) {
    dispose();
    if (error instanceof SlowTokenizer) throw error;
    throw new CheckpointError('refused', error instanceof Error ? error.message : String(error));
  }
  const [model, texts] = models as [AsyncModel | AsyncVisionModel, AsyncModel?];
  if (!('patches' in model)) {
    const hook = 'blocks.0.mlp.hook_post';
    const { [hook]: neurons } = await model.activations([[0]], [hook]);
    return { kind: 'texts', name, model, tokenizer, dispose, numNeurons: neurons!.shape.at(-1)! };
  }
  const isPrepared = imageConfig !== undefined;
  const prepares = isPrepared ? imageConfig : { model_type: (config as { model_type?: unknown }).model_type };
  return { kind: 'pictures', name, model, texts, imageConfig: prepares, isPrepared, tokenizer, dispose };
}

/** Whether the library has refused a checkpoint because it expects this. */
const asks = (error: unknown, expected: string): boolean =>
  error instanceof Error && error.message.startsWith(`openModel: expected ${expected}`);
