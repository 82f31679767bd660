import { checkOptions, type Known } from '../../check/options.js';
import { checkBoolean, checkInteger, wrongKind, wrongUse, wrongValue } from '../../check/values.js';
import type { Memory } from '../../runtime/memory.js';
import { storeOf, type CacheStore } from '../../steps/cache.js';
import type { Architecture } from '../config/architecture.js';
import { toRowsLike, toTokens, type TokenIds, type Tokens } from '../tokens.js';
import type { ModelForwardOptions } from '../types.js';
import { checkHooks } from './hooks.js';
import type { Program, Request } from './types.js';

const FORWARD_OPTIONS: Known<ModelForwardOptions> = {
  attentionMask: 1,
  tokenTypes: 1,
  needWeights: 1,
  needHiddenStates: 1,
  lastOnly: 1,
  cache: 1,
  window: 1,
  ablate: 1,
  hooks: 1,
  positions: 1,
};

/** A pass whose arguments have been checked. */
export interface Pass {
  readonly operation: string;
  readonly given: Tokens;
  readonly request: Omit<Request, 'frequencies'>;
  readonly cache: CacheStore | undefined;
  readonly types: Int32Array | undefined;
  /** For each token, if they are not counted from the cache's length on. */
  readonly positions: Int32Array | undefined;
  /** The largest position, plus 1. */
  readonly length: number;
}

/** Reads the results of a pass. */
export type Read<T> = (memory: Memory, program: Program, request: Request) => T;
export type Run = <T>(pass: Pass, read: Read<T>) => T;

/**
 * Checks the arguments of a pass.
 *
 * @param owner the model, to which caches belong
 */
export function checkPass(
  owner: object,
  a: Architecture,
  operation: string,
  ids: TokenIds,
  options: ModelForwardOptions | undefined,
  needHeads: boolean,
): Pass {
  const given = checkOptions(operation, options, FORWARD_OPTIONS);
  const flag = (name: 'needWeights' | 'needHiddenStates' | 'lastOnly'): boolean =>
    given[name] != null && checkBoolean(operation, name, given[name]);
  const rows = toTokens(operation, ids, a.vocab, a.padId ?? 0, given.attentionMask);
  const { batch, tokens, mask } = rows;
  if (given.cache != null && mask) wrongUse(operation, 'no padding with a cache', 'an attentionMask with zeros');
  if (tokens > a.maxLength) wrongValue(operation, `up to ${a.maxLength} tokens`, tokens);
  if (given.tokenTypes != null && a.tokenTypes === 0) {
    wrongUse(operation, `no tokenTypes for ${a.family}`, 'some');
  }
  const types =
    given.tokenTypes == null
      ? undefined
      : toRowsLike(operation, 'tokenTypes', given.tokenTypes, a.tokenTypes - 1, rows);
  if (given.positions != null && given.positions !== 'none' && !a.positions && !a.rotary?.some(Boolean)) {
    wrongUse(operation, `no positions for ${a.family}, which uses only distances`, 'some');
  }
  const own =
    given.positions == null || given.positions === 'none'
      ? undefined
      : toRowsLike(
          operation,
          'positions',
          typeof given.positions === 'string'
            ? wrongValue(operation, "positions to be 'none' or whole numbers", given.positions)
            : given.positions,
          a.maxLength - 1,
          rows,
        );
  const counted = own === undefined && mask ? countTokens(rows, mask) : undefined;
  const positions = own ?? (counted?.isShifted && a.positions?.skipped === undefined ? counted.positions : undefined);
  const settings = {
    window: given.window == null ? undefined : checkInteger(operation, 'window', given.window, 1, 2 ** 30),
    hasMask: mask !== undefined,
    positions: given.positions === 'none' ? ('none' as const) : positions ? ('own' as const) : ('counted' as const),
    needWeights: flag('needWeights'),
    needHiddenStates: flag('needHiddenStates'),
    lastOnly: flag('lastOnly'),
    needHeads,
    ablate: checkAblate(operation, given.ablate, a),
    hooks: checkHooks(operation, given.hooks),
  };
  // Last, so that no code of the caller's runs between this and the pass.
  const cache = given.cache == null ? undefined : storeOf(operation, given.cache, owner, batch, tokens);
  const past = cache?.length ?? 0;
  if (past + tokens > a.maxLength) wrongValue(operation, `up to ${a.maxLength} tokens`, past + tokens);
  const length = own ? maxOf(own) + 1 : past + (counted?.longest ?? tokens);
  const request = { batch, tokens, past, cache, ...settings };
  return { operation, given: rows, request, cache, types, positions, length };
}

/**
 * The positions of the real tokens of padded rows, counted from 0; padding has that of the token before it, or 0.
 * `isShifted` tells whether any row has padding before a token.
 */
function countTokens(
  { batch, tokens }: Tokens,
  mask: Uint8Array,
): { readonly positions: Int32Array; readonly isShifted: boolean; readonly longest: number } {
  const positions = new Int32Array(mask.length);
  let isShifted = false;
  let longest = 0;
  for (let b = 0, i = 0; b < batch; ++b) {
    let count = 0;
    for (let t = 0; t < tokens; ++t, ++i) {
      if (mask[i] === 1) {
        isShifted ||= count < t;
        count += 1;
      }
      positions[i] = Math.max(count - 1, 0);
    }
    longest = Math.max(longest, count);
  }
  return { positions, isShifted, longest };
}

function maxOf(numbers: Int32Array): number {
  return numbers.reduce((max, number) => Math.max(max, number));
}

function checkAblate(operation: string, ablate: unknown, a: Architecture): Request['ablate'] {
  if (ablate == null) return undefined;
  const expected = 'ablate to be a list of [layer, head]';
  if (!Array.isArray(ablate)) wrongKind(operation, expected, ablate);
  // By number, so that a list of many pairs takes no memory for each.
  const numbers = new Set<number>();
  for (let i = 0; i < ablate.length; ++i) {
    const pair: unknown = ablate[i];
    if (!Array.isArray(pair) || pair.length !== 2) wrongKind(operation, expected, pair);
    const [layer, head] = pair as [unknown, unknown];
    const first = a.heads * checkInteger(operation, "ablate's layer", layer, 0, a.layers - 1);
    numbers.add(first + checkInteger(operation, "ablate's head", head, 0, a.heads - 1));
  }
  return Array.from(numbers, (number) => [Math.floor(number / a.heads), number % a.heads] as const);
}
