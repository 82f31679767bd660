/// <reference lib="esnext.disposable" preserve="true" />
import type { KeyValueCache } from '../layers/attention/keyValueCache.js';
import type { Parameter } from '../layers/base/types.js';
import type { WasmAttention } from '../surface.js';
import type { CallOptions } from './job.js';

/** What has a handle on this side: layers, caches, optimizers and parameters. */
type Kept = { dispose(): void } | Parameter;

/** An argument: handles where the synchronous function takes what they stand for. */
type Argument<A> = A extends Kept
  ? Handle<A>
  : A extends Iterable<Parameter>
    ? Iterable<Handle<Parameter>>
    : 'cache' extends keyof A
      ? Omit<A, 'cache'> & { cache?: Handle<KeyValueCache> }
      : A;

type Arguments<A extends readonly unknown[]> = { [K in keyof A]: Argument<A[K]> };

/** A result: data as it is, functions and objects as asynchronous ones. */
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

/** Methods return promises, `await new` makes objects, and properties are promises. */
type Members<T> = {
  readonly [K in keyof T as K extends string ? K : never]: T[K] extends new (...args: infer A) => infer I
    ? new (...args: Arguments<A>) => Promise<Handle<I>>
    : T[K] extends (...args: infer A) => infer R
      ? (...args: Arguments<A>) => Promise<Result<R>>
      : Promise<T[K]>;
};

/** The properties of an object that are no functions. */
type Values<T> = {
  -readonly [
    K in keyof T as K extends string ? (T[K] extends (...args: never) => unknown ? never : K) : never
  ]?: T[K];
};

/** An object in the worker. It is let go of on `dispose()`, or when its handle is garbage-collected. */
export type Handle<T> = Members<T> & {
  /** The same object for calls that are made so. */
  with(options: CallOptions): Handle<T>;
  /** Sets properties: `optimizer.assign({ lr: 1e-4 })`. */
  assign(values: Values<T>): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** The synchronous API, asynchronous: see `WasmAttention` for what each function does. */
export type Asynchronous<T> = Members<T> & {
  /** The same worker for calls that are made so: `attention.with({ signal }).scaledDotProductAttention(Q, K, V)`. */
  with(options: CallOptions): Asynchronous<T>;
  /** Ends the worker. What was not done yet rejects, and so does every call from then on. */
  dispose(): void;
  [Symbol.dispose](): void;
};

export type AsyncWasmAttention = Asynchronous<WasmAttention>;
