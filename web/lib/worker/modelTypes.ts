/// <reference lib="esnext.disposable" preserve="true" />
import type {
  GenerateOptions,
  Model,
  ModelCache,
  ModelFacts,
  ModelForwardOptions,
  ModelResult,
  OpenModelOptions,
  Patches,
  TokenIds,
  VisionForwardOptions,
  VisionModel,
  VisionResult,
} from '../models/types.js';
import type { Tensor, TensorLike } from '../types.js';
import type { CallOptions } from './job.js';
import type { AsyncWasmAttention, Handle } from './types.js';

/** The options of `openModel` for a model in a worker. */
export interface OpenWorkerModelOptions extends Omit<OpenModelOptions, 'attention'> {
  /**
   * From `loadWorker`. With `attention.with({ transfer: true })` the weights' memory is handed over instead of copied.
   */
  attention: AsyncWasmAttention;
}

/** Keys and values of a model in a worker. */
export type AsyncModelCache = Handle<ModelCache>;

/** Options of calls in a worker, which has its own caches and cannot call functions of the page: hooks are tensors. */
export type InWorker<O> = Omit<O, 'cache' | 'hooks' | 'onLogits'> & { cache?: AsyncModelCache; hooks?: TensorHooks };

/** Tensors that replace those of a pass, by their names. */
export type TensorHooks = Record<string, TensorLike>;

/** A model from `openModel` in a worker. It is released on `dispose()`, or when it is garbage-collected. */
export interface AsyncModel extends ModelFacts {
  forward(ids: TokenIds, options?: InWorker<ModelForwardOptions>): Promise<ModelResult>;
  embed(...args: Parameters<Model['embed']>): Promise<Tensor>;
  activations(
    ids: TokenIds,
    names: RegExp | readonly string[],
    options?: InWorker<ModelForwardOptions>,
  ): Promise<Record<string, Tensor>>;
  unembed(...args: Parameters<Model['unembed']>): Promise<Tensor>;
  /**
   * The worker computes tokens ahead of the caller. When `signal` aborts, or the caller leaves the loop, it stops at
   * the next token; a cache then holds what it would hold after `Model.generate`.
   */
  generate(ids: readonly number[], options?: InWorker<GenerateOptions>): AsyncGenerator<number>;
  generate(prompts: readonly (readonly number[])[], options?: InWorker<GenerateOptions>): AsyncGenerator<number[]>;
  createCache(...args: Parameters<Model['createCache']>): Promise<AsyncModelCache>;
  /** The same model, with these options for its calls except `generate`, which has its own `signal`. */
  with(options: CallOptions): AsyncModel;
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A model of pictures from `openModel` in a worker. */
export interface AsyncVisionModel extends ModelFacts {
  forward(
    pixels: TensorLike,
    options?: Omit<VisionForwardOptions, 'hooks'> & { hooks?: TensorHooks },
  ): Promise<VisionResult>;
  patches(...args: Parameters<VisionModel['patches']>): Promise<Patches>;
  activations(
    pixels: TensorLike,
    names: RegExp | readonly string[],
    options?: Omit<VisionForwardOptions, 'hooks'> & { hooks?: TensorHooks },
  ): Promise<Record<string, Tensor>>;
  unembed(...args: Parameters<Model['unembed']>): Promise<Tensor>;
  /** The same model, with these options for its calls. */
  with(options: CallOptions): AsyncVisionModel;
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
