import type { AttentionOptions, WasmAttention } from 'wasm-attention';

/** The number of tokens on which the table learns. */
export const TOKENS = 24;
/** The farthest offset that a reader can ask for. */
export const FARTHEST = 12;

/** The number of gradient descent steps and their size, with which the loss converges. */
export const STEPS = 40;
export const RATE = 2;

/** The kind of table, and its task: attend `target` tokens ahead, or back if it is negative. */
export interface RelativeTask {
  readonly kind: 'shaw' | 't5';
  /** Shaw's clip distance k: 2k + 1 rows. */
  readonly clip: number;
  /** T5's number of buckets, even. */
  readonly buckets: number;
  readonly target: number;
}

/** A learned table, and the attention that it causes. */
export interface LearnedTable {
  /** One number per row. */
  readonly table: Float32Array;
  /** Attention weights, (TOKENS, TOKENS). */
  readonly weights: Float32Array;
  /** The mean weight on the token `target` away, over the queries that have one. */
  readonly hit: number;
}

/** The table's row for each offset from −(TOKENS − 1) to TOKENS − 1. */
export function rowsOf(library: WasmAttention, task: RelativeTask): number[] {
  const offsets = Array.from({ length: 2 * TOKENS - 1 }, (_, at) => at - (TOKENS - 1));
  const { clip } = task;
  if (task.kind === 'shaw') return offsets.map((offset) => Math.max(-clip, Math.min(clip, offset)) + clip);
  const buckets = library.t5RelativeBuckets({ ...distances, numBuckets: task.buckets }).data;
  return offsets.map((offset) => buckets[offset < 0 ? -offset * TOKENS : offset]!);
}

/**
 * Learns the table by gradient descent from zeros, with the loss −log(weight of the token `target` away). Scores come
 * from the table alone, so attention can distinguish only what the table can.
 */
export function learn(library: WasmAttention, task: RelativeTask): LearnedTable {
  let table: Float32Array = new Float32Array(task.kind === 'shaw' ? 2 * task.clip + 1 : task.buckets);
  const queries = Array.from({ length: TOKENS }, (_, i) => i).filter((i) => inside(i + task.target));
  const at = (i: number): number => i * TOKENS + i + task.target;
  for (let step = 0; step < STEPS; ++step) {
    const weights = attend(library, task, table);
    const gradient = new Float32Array(TOKENS * TOKENS);
    for (const i of queries) gradient[at(i)] = -1 / (queries.length * weights[at(i)]!);
    const gradTable = attendBackward(library, task, table, gradient);
    table = table.map((value, row) => value - RATE * gradTable[row]!);
  }
  const weights = attend(library, task, table);
  const hit = queries.reduce((sum, i) => sum + weights[at(i)]!, 0) / queries.length;
  return { table, weights, hit };
}

function inside(position: number): boolean {
  return position >= 0 && position < TOKENS;
}

/** The largest distance between tokens: with a larger maximum, some buckets would stay empty. */
const distances = { queryLength: TOKENS, maxDistance: TOKENS };

// Queries are ones and keys zeros, so that only the table makes a difference. Values are unit vectors, so that the
// output is the weights.
const shape = [1, TOKENS, 1];
const query = { data: new Float32Array(TOKENS).fill(1), shape };
const key = { data: new Float32Array(TOKENS), shape };
const value = {
  data: Float32Array.from({ length: TOKENS * TOKENS }, (_, k) => (k % (TOKENS + 1) === 0 ? 1 : 0)),
  shape: [1, TOKENS, TOKENS],
};

function optionsOf(library: WasmAttention, task: RelativeTask, table: Float32Array): AttentionOptions {
  const rows = { data: table, shape: [table.length, 1] };
  return task.kind === 'shaw' ? { relativeKeys: rows } : { bias: library.t5RelativeBias(rows, distances) };
}

function attend(library: WasmAttention, task: RelativeTask, table: Float32Array): Float32Array {
  return library.scaledDotProductAttention(query, key, value, optionsOf(library, task, table)).output.data;
}

function attendBackward(
  library: WasmAttention,
  task: RelativeTask,
  table: Float32Array,
  gradOutput: Float32Array,
): Float32Array {
  const gradients = library.scaledDotProductAttentionBackward(
    { data: gradOutput, shape: [1, TOKENS, TOKENS] },
    query,
    key,
    value,
    optionsOf(library, task, table),
  );
  if (task.kind === 'shaw') return gradients.relativeKeys!.data;
  return library.t5RelativeBiasBackward(gradients.bias!, { ...distances, numBuckets: task.buckets }).data;
}
