/** What `npm run bench` compares the library with, so that this page compares it with the same. */
import * as dense from '../../../tests/bench/peers/dense.mjs';
import * as language from '../../../tests/bench/peers/llama.mjs';
import * as onnx from '../../../tests/bench/peers/ort-graphs.mjs';
import * as random from '../../../tests/bench/random.mjs';

export type Tensors = Readonly<Record<string, { readonly data: Float32Array; readonly shape: readonly number[] }>>;

/** A problem as the graphs for onnxruntime expect it. */
export interface Problem {
  readonly kind: 'attention' | 'matmul' | 'quantised' | 'encoder';
  readonly params: object;
  readonly weight?: Float32Array;
  readonly tensors?: Tensors;
}

type Forward = (token: number, position: number) => Float64Array;

/** The product of a (m, k) and b (k, n) in JavaScript. */
export const product = dense.product as (
  ...sizes: [a: Float32Array, b: Float32Array, m: number, k: number, n: number]
) => Float32Array;
export const transpose = dense.transpose as (x: Float32Array, rows: number, columns: number) => Float32Array;
/** Llama in JavaScript. */
export const llama = language.llama as (config: object, tensors: Tensors) => Forward;
export const greedy = language.greedy as (forward: Forward, first: number, count: number) => Int32Array;
/** A file for onnxruntime. */
export const graphOf = onnx.graphOf as (way: string, problem: Problem) => Uint8Array;
/** Normal numbers, the same on every machine. */
export const normal = random.normal as (length: number, seed: number, scale?: number) => Float32Array;
