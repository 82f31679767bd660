import type { Memory } from './memory.js';

/**
 * Where the fields of AttentionArgs in cpp/attention.h stand, in words of 4 bytes. The strides of a stack of matrices (of
 * batch, head and row) stand behind its address.
 */
export const AT = {
  batch: 0,
  heads: 1,
  kvHeads: 2,
  queries: 3,
  keys: 4,
  width: 5,
  valueWidth: 6,
  query: 7,
  key: 11,
  value: 15,
  output: 19,
  validLens: 23,
  validBatch: 24,
  validRow: 25,
  offsets: 26,
  windowLeft: 27,
  windowRight: 28,
  mask: 29,
  maskColumns: 33,
  maskStep: 34,
  bias: 35,
  biasColumns: 39,
  biasStep: 40,
  relativeKeys: 41,
  relativeKeysHead: 42,
  relativeKeysClip: 43,
  relativeValues: 44,
  relativeValuesHead: 45,
  relativeValuesClip: 46,
  alibiSlopes: 47,
  weights: 48,
  scores: 49,
  scoresStage: 50,
  logSumExp: 51,
  seed: 52,
  scratch: 53,
  scale: 54,
  softcap: 55,
  dropout: 56,
} as const;

const LENGTH = 57;

/** C++'s AttentionArgs: sizes, addresses, strides; what is not set is 0. */
export class AttentionArgs {
  readonly words = new Int32Array(LENGTH);
  /** The same words, for the fields that are floats. */
  readonly floats = new Float32Array(this.words.buffer);

  /** Sets the address of a stack of matrices and its strides. */
  setStack(at: number, address: number, batch: number, head: number, row: number): void {
    this.words[at] = address;
    this.words[at + 1] = batch;
    this.words[at + 2] = head;
    this.words[at + 3] = row;
  }

  /** Copies the arguments, and what a larger struct has behind them, into the memory's scope; their address. */
  place(memory: Memory, rest: readonly number[] = []): number {
    const address = memory.reserve(LENGTH + rest.length);
    memory.writeInts(address, this.words);
    memory.writeInts(address + 4 * LENGTH, rest);
    return address;
  }
}

const shared = new AttentionArgs();

/** Arguments that are all 0. One object serves every call: none makes another before it has placed its own. */
export function clearedAttentionArgs(): AttentionArgs {
  shared.words.fill(0);
  return shared;
}
