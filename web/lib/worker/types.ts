/// <reference lib="esnext.disposable" preserve="true" />
import type { KeyValueCache } from '../steps/cache.js';
import type { Parameter } from '../layers/base/types.js';
import type { WasmAttention } from '../wasmAttention.js';
import type { CallOptions } from './job.js';

/** The objects that get handles: layers, caches, optimizers and parameters. */
type Kept = { dispose(): void } | Parameter;

/** An argument: a handle if the synchronous function takes the object. Without `out`: a worker has its own memory. */
type Argument<A> = A extends Kept
  ? Handle<A>
  : A extends Iterable<Parameter>
    ? Iterable<Handle<Parameter>>
    : 'cache' extends keyof A
      ? Omit<A, 'cache' | 'out'> & { cache?: Handle<KeyValueCache> }
      : 'out' extends keyof A
        ? Omit<A, 'out'>
        : A;

type Arguments<A extends readonly unknown[]> = { [K in keyof A]: Argument<A[K]> };

/** A result: data is unchanged, functions and objects become asynchronous. */
type Result<R> = R extends (...args: infer A) => infer S
  ? (...args: Arguments<A>) => Promise<Result<S>>
  : R extends Kept
    ? Handle<R>
    : R extends ArrayBufferView
      ? R
      : R extends readonly (infer E)[]
        ? E extends Parameter
          ? Handle<E>[]
          : R
        : R extends object
          ? { [K in keyof R]: Result<R[K]> }
          : R;

/** Methods return promises, constructors are called with `await new`, and properties are promises. */
type Members<T> = {
  readonly [K in keyof T as K extends string ? K : never]: T[K] extends new (...args: infer A) => infer I
    ? new (...args: Arguments<A>) => Promise<Handle<I>>
    : T[K] extends (...args: infer A) => infer R
      ? (...args: Arguments<A>) => Promise<Result<R>>
      : Promise<T[K]>;
};

/** The properties of an object that are not functions. */
type Values<T> = {
  -readonly [K in keyof T as K extends string ? (T[K] extends (...args: never) => unknown ? never : K) : never]?: T[K];
};

/** An object in the worker. It is released on `dispose()`, or when its handle is garbage-collected. */
export type Handle<T> = Members<T> & {
  /** The same object, with these options for its calls. */
  with(options: CallOptions): Handle<T>;
  /** Sets properties: `optimizer.assign({ lr: 1e-4 })`. */
  assign(values: Values<T>): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** The API with promises: see `WasmAttention` for what each function does. */
export type Asynchronous<T> = Members<T> & {
  /**
   * The same worker, with these options for its calls: `attention.with({ signal }).scaledDotProductAttention(Q, K, V)`.
   */
  with(options: CallOptions): Asynchronous<T>;
  /** Ends the worker. Calls that have not finished reject, and so do all later ones. */
  dispose(): void;
  [Symbol.dispose](): void;
};

export type AsyncWasmAttention = Asynchronous<WasmAttention>;
