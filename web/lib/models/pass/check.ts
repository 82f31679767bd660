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
  readonly request: Omit<Request, 'rotary'>;
  readonly cache: CacheStore | undefined;
  readonly types: Int32Array | undefined;
  readonly positions: Int32Array | undefined;
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
  const { batch, tokens } = rows;
  if (given.cache != null && rows.mask) wrongUse(operation, 'no padding with a cache', 'an attentionMask with zeros');
  const cache = given.cache == null ? undefined : storeOf(operation, given.cache, owner, batch, tokens);
  const past = cache?.length ?? 0;
  if (past + tokens > a.maxLength) wrongValue(operation, `up to ${a.maxLength} tokens`, past + tokens);
  if (given.tokenTypes != null && a.tokenTypes === 0) {
    wrongUse(operation, `no tokenTypes for ${a.family}`, 'some');
  }
  const types =
    given.tokenTypes == null
      ? undefined
      : toRowsLike(operation, 'tokenTypes', given.tokenTypes, a.tokenTypes - 1, rows);
  if (given.positions != null && given.positions !== 'none' && !a.positions && !a.rotary) {
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
  const request = {
    batch,
    tokens,
    past,
    cache,
    window: given.window == null ? undefined : checkInteger(operation, 'window', given.window, 1, 2 ** 30),
    hasMask: rows.mask !== undefined,
    positions: given.positions === 'none' ? ('none' as const) : own ? ('own' as const) : ('counted' as const),
    needWeights: flag('needWeights'),
    needHiddenStates: flag('needHiddenStates'),
    lastOnly: flag('lastOnly'),
    needHeads,
    ablate: checkAblate(operation, given.ablate, a),
    hooks: checkHooks(operation, given.hooks),
  };
  return { operation, given: rows, request, cache, types, positions: own };
}

function checkAblate(operation: string, ablate: unknown, a: Architecture): readonly [number, number][] | undefined {
  if (ablate == null) return undefined;
  if (!Array.isArray(ablate)) wrongKind(operation, 'ablate to be a list of [layer, head]', ablate);
  return Array.from(ablate as readonly unknown[], (pair) => {
    if (!Array.isArray(pair) || pair.length !== 2) wrongKind(operation, 'ablate to be a list of [layer, head]', pair);
    const [layer, head] = pair as [unknown, unknown];
    return [
      checkInteger(operation, "ablate's layer", layer, 0, a.layers - 1),
      checkInteger(operation, "ablate's head", head, 0, a.heads - 1),
    ];
  });
}
