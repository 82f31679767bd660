import type { Memory } from './memory.js';

// The fields of AttentionArgs in cpp/attention.h, in its order.
const WORDS = [
  'batch', 'heads', 'kvHeads', 'queries', 'keys', 'width', 'valueWidth',
  'query', 'queryBatch', 'queryHead', 'queryRow',
  'key', 'keyBatch', 'keyHead', 'keyRow',
  'value', 'valueBatch', 'valueHead', 'valueRow',
  'output', 'outputBatch', 'outputHead', 'outputRow',
  'validLens', 'validBatch', 'validRow',
  'offsets', 'windowLeft', 'windowRight',
  'mask', 'maskBatch', 'maskHead', 'maskRow', 'maskColumns', 'maskStep',
  'bias', 'biasBatch', 'biasHead', 'biasRow', 'biasColumns', 'biasStep',
  'relativeKeys', 'relativeKeysHead', 'relativeKeysClip',
  'relativeValues', 'relativeValuesHead', 'relativeValuesClip',
  'alibiSlopes',
  'weights', 'scores', 'scoresStage', 'logSumExp',
  'seed', 'scratch',
] as const; // prettier-ignore
const FLOATS = ['scale', 'softcap', 'dropout'] as const;

/** C++'s AttentionArgs: sizes, addresses and strides; what is left out is 0. */
export type AttentionArgs = Partial<Record<(typeof WORDS)[number] | (typeof FLOATS)[number], number>>;

const words = new Int32Array(WORDS.length);
const floats = new Float32Array(FLOATS.length);

/** Copies the arguments, and what a larger struct has behind them, into the memory's scope; their address. */
export function placeAttentionArgs(
  memory: Memory,
  args: AttentionArgs,
  rest: readonly number[] = [],
): number {
  WORDS.forEach((name, i) => (words[i] = args[name] ?? 0));
  FLOATS.forEach((name, i) => (floats[i] = args[name] ?? 0));
  const address = memory.reserve(WORDS.length + FLOATS.length + rest.length);
  memory.writeInts(address, words);
  memory.write(address + words.byteLength, floats);
  memory.writeInts(address + words.byteLength + floats.byteLength, rest);
  return address;
}
