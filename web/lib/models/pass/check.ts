import { checkOptions, type Known } from '../../check/options.js';
import { toTensorOfShape } from '../../check/arrays.js';
import { checkBoolean, checkInteger, showShape, wrongKind, wrongUse, wrongValue } from '../../check/values.js';
import type { TensorLike } from '../../types.js';
import type { Memory } from '../../runtime/memory.js';
import { storeOf, type CacheStore } from '../../steps/cache.js';
import type { Architecture } from '../config/architecture.js';
import { countOf } from '../config/pictures.js';
import { gridOf, type Grid } from '../pictures/grid.js';
import { toAttentionMask, toRowsLike, toTokens, type TokenIds, type Tokens } from '../tokens.js';
import type { ModelForwardOptions, VisionForwardOptions } from '../types.js';
import { unfolded } from './pictures.js';
import { checkHooks } from './hooks.js';
import { maskOfTokens, paddingOf } from './padding.js';
import type { Pairs, Program, Request } from './types.js';

const FORWARD_OPTIONS: Known<ModelForwardOptions> = {
  attentionMask: 1,
  tokenTypes: 1,
  needWeights: 1,
  needHiddenStates: 1,
  lastOnly: 1,
  cache: 1,
  window: 1,
  ablate: 1,
  ablateNeurons: 1,
  hooks: 1,
  positions: 1,
};

const PICTURE_OPTIONS: Known<VisionForwardOptions> = {
  needWeights: 1,
  needHiddenStates: 1,
  window: 1,
  ablate: 1,
  ablateNeurons: 1,
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
  /** (B, keys): 1 for a token, 0 for padding; undefined without padding. */
  readonly mask: Uint8Array | undefined;
  /** For each token, if they are not counted from the cache's length on. */
  readonly positions: Int32Array | undefined;
  /** The largest position, plus 1. */
  readonly length: number;
  /** The numbers of pictures' patches. */
  readonly pictures?: { readonly patches: Float32Array; readonly grid: Grid };
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
  const padded = toTokens(operation, ids, a.vocab, a.padId ?? 0);
  const { batch, tokens } = padded;
  const attentionMask = given.attentionMask == null ? undefined : toAttentionMask(operation, given.attentionMask);
  if (attentionMask && padded.mask) wrongUse(operation, 'rows of equal length, or no attentionMask', 'both');
  const rows = attentionMask ? { ...padded, mask: attentionMask.data } : padded;
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
  const own = ownPositions(operation, given.positions, a.maxLength - 1, rows);
  const settings = checkSettings(operation, a, given, needHeads, types);
  // Last, so that no code of the caller's runs between this and the pass.
  const cache = given.cache == null ? undefined : storeOf(operation, given.cache, owner, batch, tokens);
  const mask = attentionMask && maskOfTokens(operation, attentionMask, rows, cache);
  return passOver(a, settings, attentionMask ? { ...rows, mask } : padded, cache, own);
}

/** Checks the arguments of a pass over pictures. */
export function checkPictures(
  a: Architecture,
  operation: string,
  pixels: TensorLike,
  options: VisionForwardOptions | undefined,
): Pass {
  const given = checkOptions(operation, options, PICTURE_OPTIONS);
  const { request } = checkSettings(operation, a, given, true);
  const { channels, specials } = a.pictures!;
  const { data, shape } = toTensorOfShape(operation, 'pixels', pixels, ['B', channels, 'H', 'W']);
  const [batch, , height, width] = shape as readonly [number, number, number, number];
  if (batch < 1) wrongValue(operation, 'pixels of at least one picture', showShape(shape));
  const grid = gridOf(operation, a, height, width);
  // A copy, before other code of the caller's runs.
  const patches = unfolded(operation, a, { data, batch, height, width }, grid);
  const first = countOf(specials);
  const tokens = first + grid.rows * grid.columns;
  // The numbers of special tokens in their tensors.
  const rows = { batch, tokens, data: Int32Array.from({ length: first }, (_, i) => i), mask: undefined };
  const own = ownPositions(operation, given.positions, tokens - 1, rows);
  return {
    operation,
    given: rows,
    request: { ...request, batch, tokens, positions: own === 'none' ? 'none' : own ? 'own' : 'counted' },
    cache: undefined,
    types: undefined,
    mask: undefined,
    positions: own === 'none' ? undefined : own,
    length: tokens,
    pictures: { patches, grid },
  };
}

/** What the passes of a generation have in common. */
interface Settings {
  readonly operation: string;
  readonly types: Int32Array | undefined;
  /** Fields that depend on the tokens are placeholders, since adding them to a copy would take microseconds. */
  readonly request: Pass['request'];
}

/** Checks the options that do not depend on the tokens. */
export function checkSettings(
  operation: string,
  a: Architecture,
  given: ModelForwardOptions,
  needHeads: boolean,
  types?: Int32Array,
): Settings {
  const flag = (name: 'needWeights' | 'needHiddenStates' | 'lastOnly'): boolean =>
    given[name] != null && checkBoolean(operation, name, given[name]);
  const request: Pass['request'] = {
    batch: 0,
    tokens: 0,
    past: 0,
    cache: undefined,
    hasMask: false,
    positions: 'counted',
    window: given.window == null ? undefined : checkInteger(operation, 'window', given.window, 1, 2 ** 30),
    needWeights: flag('needWeights'),
    needHiddenStates: flag('needHiddenStates'),
    lastOnly: flag('lastOnly'),
    needHeads,
    ablate: checkPairs(operation, 'ablate', 'head', given.ablate, a.layers, a.heads),
    ablateNeurons: checkPairs(operation, 'ablateNeurons', 'neuron', given.ablateNeurons, a.layers, a.ffnHiddens),
    hooks: checkHooks(operation, given.hooks),
  };
  return { operation, types, request };
}

/**
 * A pass over tokens that have been checked, which continue those in the cache.
 *
 * @param own the caller's positions
 */
export function passOver(
  a: Architecture,
  { operation, types, request }: Settings,
  given: Tokens,
  cache: CacheStore | undefined,
  own: Int32Array | 'none' | undefined,
): Pass {
  const { batch, tokens } = given;
  const past = cache?.length ?? 0;
  const { mask, positions: counted, longest } = paddingOf(operation, given, cache, a.maxLength);
  const most = cache ? longest : tokens;
  if (most > a.maxLength) wrongValue(operation, `up to ${a.maxLength} tokens`, most);
  const positions = own ?? (a.positions?.skipped === undefined ? counted : undefined);
  const kind = positions === 'none' ? 'none' : positions ? 'own' : 'counted';
  return {
    operation,
    given,
    request: { ...request, batch, tokens, past, cache, hasMask: mask !== undefined, positions: kind },
    cache,
    types,
    mask,
    positions: positions === 'none' ? undefined : positions,
    length: own === undefined || own === 'none' ? longest : maxOf(own) + 1,
  };
}

/** The caller's positions. */
function ownPositions(
  operation: string,
  given: ModelForwardOptions['positions'],
  max: number,
  rows: Tokens,
): Int32Array | 'none' | undefined {
  if (given == null || given === 'none') return given ?? undefined;
  if (typeof given === 'string') wrongValue(operation, "positions to be 'none' or whole numbers", given);
  return toRowsLike(operation, 'positions', given, max, rows);
}

function maxOf(numbers: Int32Array): number {
  return numbers.reduce((max, number) => Math.max(max, number));
}

/** An option that lists heads or neurons, `each` of them, with their layers. */
function checkPairs(
  operation: string,
  name: string,
  each: string,
  pairs: unknown,
  layers: number,
  count: number,
): Pairs | undefined {
  if (pairs == null) return undefined;
  const expected = `${name} to be a list of [layer, ${each}]`;
  if (!Array.isArray(pairs)) wrongKind(operation, expected, pairs);
  // By number, so that a list of many pairs takes no memory for each.
  const numbers = new Set<number>();
  for (let i = 0; i < pairs.length; ++i) {
    const pair: unknown = pairs[i];
    if (!Array.isArray(pair) || pair.length !== 2) wrongKind(operation, expected, pair);
    const [layer, index] = pair as [unknown, unknown];
    const first = count * checkInteger(operation, `${name}'s layer`, layer, 0, layers - 1);
    numbers.add(first + checkInteger(operation, `${name}'s ${each}`, index, 0, count - 1));
  }
  return Array.from(numbers, (number) => [Math.floor(number / count), number % count] as const);
}
