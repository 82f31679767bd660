import type { Memory } from '../../runtime/memory.js';

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
