/** Checks the options of `generate`. */
import { toInt32 } from '../../check/arrays.js';
import { checkOptions } from '../../check/options.js';
import { checkFinite, checkInteger, checkNonNegative, checkSeed, wrongKind, wrongValue } from '../../check/values.js';
import { checkSignal } from '../calls.js';
import { GENERATE_OPTIONS, type GenerateOptions, type ModelForwardOptions } from '../types.js';

export const OPERATION = 'generate';

/** How tokens are chosen, in the order in which logits pass these. */
export interface Sampling {
  readonly onLogits?: ((logits: Float32Array, ids: readonly number[]) => void) | undefined;
  /** 1 changes nothing. */
  readonly repetitionPenalty: number;
  /** 0 takes the most likely token. */
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
  readonly minP: number;
}

export interface Generation {
  readonly cache: unknown;
  /** Infinite by default. */
  readonly maxTokens: number;
  readonly sampling: Sampling;
  readonly seed: number;
  readonly stopTokens: ReadonlySet<number> | undefined;
  readonly signal: AbortSignal | undefined;
  /** For passes. */
  readonly forward: ModelForwardOptions;
}

export function checkGeneration(options: GenerateOptions | undefined, vocab: number): Generation {
  const given = checkOptions(OPERATION, options, GENERATE_OPTIONS);
  const { cache, signal, ablate, ablateNeurons, positions, hooks, onLogits } = given;
  /** The option, or its default. */
  const get = <T>(name: keyof GenerateOptions, otherwise: T, check: (name: string, value: unknown) => T): T =>
    given[name] == null ? otherwise : check(name, given[name]);
  const integer = (least: number) => (name: string, value: unknown) => checkInteger(OPERATION, name, value, least);
  const share = (isOpen: boolean) => (name: string, value: unknown) => {
    const share = checkFinite(OPERATION, name, value);
    if (!(share <= 1 && (isOpen ? share > 0 : share >= 0))) {
      wrongValue(OPERATION, `${name} within ${isOpen ? '(' : '['}0, 1]`, value);
    }
    return share;
  };
  const sampling = {
    onLogits: onLogits ?? undefined,
    repetitionPenalty: get('repetitionPenalty', 1, (name, value) => checkFinite(OPERATION, name, value, true)),
    temperature: get('temperature', 0, (name, value) => checkNonNegative(OPERATION, name, value)),
    topK: get('topK', Infinity, integer(1)),
    topP: get('topP', 1, share(true)),
    minP: get('minP', 0, share(false)),
  };
  if (onLogits != null && typeof onLogits !== 'function') wrongKind(OPERATION, 'onLogits to be a function', onLogits);
  checkSignal(OPERATION, signal);
  if (positions != null && positions !== 'none') wrongValue(OPERATION, "positions to be 'none'", positions);
  for (const name of ['topK', 'topP', 'minP'] as const) {
    // Greedy tokens would not depend on it.
    if (given[name] != null && given.temperature == null) wrongValue(OPERATION, `temperature with ${name}`, 'none');
  }
  return {
    cache: cache ?? undefined,
    maxTokens: get('maxTokens', Infinity, integer(0)),
    sampling,
    seed: get('seed', Math.floor(Math.random() * 2 ** 32), (name, value) => checkSeed(OPERATION, name, value)),
    stopTokens: get('stopTokens', undefined, (name, value) => stopsOf(name, value, vocab)),
    signal: signal ?? undefined,
    forward: {
      lastOnly: true,
      ...(ablate != null && { ablate }),
      ...(ablateNeurons != null && { ablateNeurons }),
      ...(positions != null && { positions }),
      ...(hooks != null && { hooks }),
    },
  };
}

function stopsOf(name: string, value: unknown, vocab: number): ReadonlySet<number> {
  const { data, shape } = toInt32(OPERATION, name, value as readonly number[], 0, vocab - 1);
  if (shape.length !== 1) wrongKind(OPERATION, `${name} to be a list of tokens`, value);
  return new Set(data);
}
