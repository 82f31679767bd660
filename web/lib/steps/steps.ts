import * as AddArgs from '../generated/bindings/addArgs.js';
import * as AppendArgs from '../generated/bindings/appendArgs.js';
import * as AttentionArgs from '../generated/bindings/attentionArgs.js';
import * as EmbeddingArgs from '../generated/bindings/embeddingArgs.js';
import { norms, stepActions } from '../generated/bindings/enums.js';
import * as FeedForwardArgs from '../generated/bindings/feedForwardArgs.js';
import * as LinearArgs from '../generated/bindings/linearArgs.js';
import * as NormArgs from '../generated/bindings/normArgs.js';
import * as RotaryArgs from '../generated/bindings/rotaryArgs.js';
import * as RunStepsArgs from '../generated/bindings/runStepsArgs.js';
import * as Step from '../generated/bindings/step.js';
import { ARGS, clearArgs, floats, setStack, words } from '../runtime/args.js';
import type { Memory } from '../runtime/memory.js';
import type { Wasm } from '../runtime/wasm.js';
import type { CachedRows, CachePlace } from './cache.js';

/** A linear map: the addresses of its packed weight and of its bias, or 0. */
export interface Matrix {
  readonly packed: number;
  readonly bias: number;
  readonly inputs: number;
  readonly outputs: number;
  /** Its number in C++. */
  readonly weightType: number;
}

/** A norm's kind and parameters; its bias is 0 if it has none. */
export interface Norm {
  readonly kind: (typeof norms)[number];
  readonly weight: number;
  readonly bias: number;
  readonly eps: number;
  /** The number of weights, which rows use in turn. Default 1. */
  readonly weights?: number;
}

/** The two maps of a feed-forward network. */
export interface FeedForward {
  /** Gates and then values, if the network is gated. */
  readonly up: Matrix;
  readonly down: Matrix;
  readonly gated: boolean;
  /** Its number in C++. */
  readonly activation: number;
}

/** Dropout of a sublayer's results. */
export interface Dropout {
  readonly seed: number;
  readonly dropout: number;
}

/** The fields of EmbeddingArgs. */
export type EmbeddingFields = Readonly<Record<Exclude<keyof typeof EmbeddingArgs, 'BYTES'>, number>>;

/** The sizes of rows (batch, tokens, heads·width). */
export interface RowSizes {
  readonly batch: number;
  readonly tokens: number;
  readonly heads: number;
  readonly width: number;
}

/** The address of a table of rotary positions, and how heads are rotated by its rows. */
export interface Rotary {
  readonly table: number;
  /** From one sequence's rows to the next, in floats; 0 if they share them. */
  readonly tableBatch: number;
  readonly rotaryWidth: number;
  readonly interleaved: boolean;
}

/** Sets EmbeddingArgs in ARGS. */
export function setEmbedding({ ids, table, out, count, dim, packedRows, weightType }: EmbeddingFields): void {
  words[EmbeddingArgs.ids] = ids;
  words[EmbeddingArgs.table] = table;
  words[EmbeddingArgs.out] = out;
  words[EmbeddingArgs.count] = count;
  words[EmbeddingArgs.dim] = dim;
  words[EmbeddingArgs.packedRows] = packedRows;
  words[EmbeddingArgs.weightType] = weightType;
}

/** Sets LinearArgs in ARGS. */
export function setLinear(x: number, matrix: Matrix, out: number, rows: number): void {
  words[LinearArgs.x] = x;
  words[LinearArgs.packed] = matrix.packed;
  words[LinearArgs.bias] = matrix.bias;
  words[LinearArgs.out] = out;
  words[LinearArgs.rows] = rows;
  words[LinearArgs.inputs] = matrix.inputs;
  words[LinearArgs.outputs] = matrix.outputs;
  words[LinearArgs.weightType] = matrix.weightType;
}

/** Sets NormArgs in ARGS. */
export function setNorm(x: number, norm: Norm, out: number, rows: number, dim: number): void {
  const { kind, weight, bias, eps, weights = 1 } = norm;
  words[NormArgs.x] = x;
  words[NormArgs.weight] = weight;
  words[NormArgs.bias] = bias;
  words[NormArgs.out] = out;
  words[NormArgs.rows] = rows;
  words[NormArgs.dim] = dim;
  words[NormArgs.norm] = norms.indexOf(kind);
  floats[NormArgs.eps] = eps;
  words[NormArgs.weights] = weights;
}

/** Sets RotaryArgs in ARGS for the heads of these rows, which are rotated in place. */
export function setRotary(
  rows: number,
  { batch, tokens, heads, width }: RowSizes,
  { table, tableBatch, rotaryWidth, interleaved }: Rotary,
  strides = { batch: tokens * heads * width, head: width, row: heads * width },
): void {
  setStack(RotaryArgs.x, RotaryArgs.strides, rows, strides);
  words[RotaryArgs.table] = table;
  words[RotaryArgs.out] = rows;
  words[RotaryArgs.batch] = batch;
  words[RotaryArgs.heads] = heads;
  words[RotaryArgs.rows] = tokens;
  words[RotaryArgs.width] = width;
  words[RotaryArgs.rotaryWidth] = rotaryWidth;
  words[RotaryArgs.tableBatch] = tableBatch;
  words[RotaryArgs.interleaved] = Number(interleaved);
}

const HEADER = Step.bytes + 1;

/**
 * A list of steps for C++'s `runSteps` (attention.h). Each method appends a step. Parameters named like tensors are
 * their addresses.
 */
export class Steps {
  #words = new Int32Array(512);
  #end = 0;

  /** The length of the list. */
  get bytes(): number {
    return 4 * this.#end;
  }

  clear(): void {
    this.#end = 0;
  }

  /** Copies the list into wasm memory, within a scope; returns its address. */
  place(memory: Memory): number {
    return memory.ints(this.#words.subarray(0, this.#end));
  }

  /** out = x + dropout(y). */
  add(x: number, y: number, out: number, rows: number, dim: number, dropout?: Dropout): void {
    words[AddArgs.x] = x;
    words[AddArgs.y] = y;
    words[AddArgs.out] = out;
    words[AddArgs.rows] = rows;
    words[AddArgs.dim] = dim;
    words[AddArgs.seed] = dropout?.seed ?? 0;
    floats[AddArgs.dropout] = dropout?.dropout ?? 0;
    this.push('add', AddArgs.BYTES);
  }

  linear(x: number, matrix: Matrix, out: number, rows: number): void {
    setLinear(x, matrix, out, rows);
    this.push('linear', LinearArgs.BYTES);
  }

  norm(x: number, norm: Norm, out: number, rows: number, dim: number): void {
    setNorm(x, norm, out, rows, dim);
    this.push('norm', NormArgs.BYTES);
  }

  feedForward(x: number, { up, down, gated, activation }: FeedForward, out: number, rows: number, d?: Dropout): void {
    clearArgs();
    words[FeedForwardArgs.x] = x;
    words[FeedForwardArgs.packed1] = up.packed;
    words[FeedForwardArgs.bias1] = up.bias;
    words[FeedForwardArgs.packed2] = down.packed;
    words[FeedForwardArgs.bias2] = down.bias;
    words[FeedForwardArgs.out] = out;
    words[FeedForwardArgs.rows] = rows;
    words[FeedForwardArgs.width] = down.outputs;
    words[FeedForwardArgs.hiddenWidth] = down.inputs;
    words[FeedForwardArgs.gated] = Number(gated);
    words[FeedForwardArgs.weightType] = up.weightType;
    words[FeedForwardArgs.activation] = activation;
    words[FeedForwardArgs.seed] = d?.seed ?? 0;
    floats[FeedForwardArgs.dropout] = d?.dropout ?? 0;
    this.push('feedForward', FeedForwardArgs.BYTES);
  }

  /** Rotates heads that lie side by side, in place. */
  rotary(rows: number, sizes: RowSizes, rotary: Rotary): void {
    setRotary(rows, sizes, rotary);
    this.push('rotary', RotaryArgs.BYTES);
  }

  /** Copies heads that lie side by side to the keys or the values of a cache. */
  append(
    rows: number,
    { batch, tokens, heads, width }: RowSizes,
    { address, type }: CachedRows,
    { length, capacity }: Pick<CachePlace, 'length' | 'capacity'>,
  ): void {
    words[AppendArgs.x] = rows;
    words[AppendArgs.cache] = address;
    words[AppendArgs.batch] = batch;
    words[AppendArgs.tokens] = tokens;
    words[AppendArgs.heads] = heads;
    words[AppendArgs.width] = width;
    words[AppendArgs.length] = length;
    words[AppendArgs.capacity] = capacity;
    words[AppendArgs.cacheType] = type;
    this.push('append', AppendArgs.BYTES);
  }

  /** Attention with the arguments in ARGS. */
  attention(): void {
    this.push('attention', AttentionArgs.BYTES);
  }

  /** Appends a step with the arguments in ARGS. */
  protected push(action: (typeof stepActions)[number], bytes: number): void {
    const size = HEADER + 2 * Math.ceil(bytes / 8);
    if (this.#end + size > this.#words.length) {
      const more = new Int32Array(2 * this.#words.length);
      more.set(this.#words);
      this.#words = more;
    }
    const list = this.#words;
    const at = this.#end;
    list[at + Step.action] = stepActions.indexOf(action);
    list[at + Step.bytes] = 4 * size;
    for (let i = HEADER; i < size; ++i) list[at + i] = ARGS[i - HEADER]!;
    this.#end = at + size;
  }
}

const RUN = new Int32Array(RunStepsArgs.BYTES / 4);

/**
 * Runs `bytes` of steps at an address, within a scope.
 *
 * @param past the number of tokens in the cache, if the steps were made for an empty one
 */
export function runSteps({ raw, memory }: Wasm, steps: number, bytes: number, past = 0): void {
  RUN[RunStepsArgs.steps] = steps;
  RUN[RunStepsArgs.bytes] = bytes;
  RUN[RunStepsArgs.past] = past;
  memory.run(raw.runSteps, RUN);
}
