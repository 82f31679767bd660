import { checkOptions, type Known } from '../check/options.js';
import { checkFinite, checkInteger, tagOf, wrongKind, wrongUse, wrongValue } from '../check/values.js';
import { seedOf } from '../layers/base/random.js';
import { storeOf } from './cache.js';
import type { Architecture } from './config/architecture.js';
import { drawer } from './sampling.js';
import { toRows } from './tokens.js';
import type { GenerateOptions, Model, ModelForwardOptions } from './types.js';

const OPERATION = 'generate';
export const GENERATE_OPTIONS: Known<GenerateOptions> = {
  cache: 1,
  maxTokens: 1,
  temperature: 1,
  topK: 1,
  topP: 1,
  seed: 1,
  signal: 1,
  ablate: 1,
  positions: 1,
  hooks: 1,
};
/** Milliseconds after which other tasks get their turn: a frame. */
const TURN = 16;

/**
 * See `Model.generate`.
 *
 * @param predicts whether logits are those of the next token, and not of classes
 */
export async function* generate(
  model: Model,
  a: Architecture,
  predicts: boolean,
  ids: readonly number[],
  options: GenerateOptions | undefined,
): AsyncGenerator<number> {
  const given = checkOptions(OPERATION, options, GENERATE_OPTIONS);
  const { maxTokens, temperature = 0, topK, topP = 1, signal, ablate, positions, hooks } = given;
  if (!a.causal) wrongUse(OPERATION, 'a decoder', a.family);
  if (!predicts) wrongUse(OPERATION, 'a checkpoint with a head that predicts tokens', 'one without');
  const { batch, data } = toRows(OPERATION, 'ids', ids, a.vocab - 1);
  if (batch !== 1) wrongValue(OPERATION, 'ids of one sequence', batch);
  if (maxTokens !== undefined) checkInteger(OPERATION, 'maxTokens', maxTokens, 0);
  if (!(checkFinite(OPERATION, 'temperature', temperature) >= 0)) {
    wrongValue(OPERATION, 'temperature of at least 0', temperature);
  }
  if (topK !== undefined) checkInteger(OPERATION, 'topK', topK, 1);
  if (!(typeof topP === 'number' && topP > 0 && topP <= 1)) wrongValue(OPERATION, 'topP within (0, 1]', topP);
  if (signal != null && tagOf(signal) !== 'AbortSignal')
    wrongKind(OPERATION, 'signal to be an AbortSignal', signal);
  if (positions != null && positions !== 'none') wrongValue(OPERATION, "positions to be 'none'", positions);
  const draw = drawer(temperature, topK, topP, seedOf(OPERATION, given.seed));

  const store = given.cache == null ? undefined : storeOf(OPERATION, given.cache, model, 1);
  const past = store?.length ?? 0;
  const room = (store?.capacity ?? model.maxLength) - past - data.length;
  // The last token is given back without a pass over it.
  const most = Math.min(maxTokens ?? Infinity, Math.max(room + 1, 0));
  if (most === 0 && maxTokens !== 0) wrongValue(OPERATION, `up to ${room + data.length} tokens`, data.length);
  const own =
    given.cache == null
      ? model.createCache({ maxLength: Math.min(model.maxLength, data.length + Math.max(most, 1)) })
      : undefined;
  try {
    const forward: ModelForwardOptions = {
      cache: given.cache ?? own!,
      lastOnly: true,
      ...(ablate != null && { ablate }),
      ...(positions != null && { positions }),
      ...(hooks != null && { hooks }),
    };
    let next = Array.from(data);
    let turn = performance.now();
    for (let count = 0; count < most && !signal?.aborted; ++count) {
      const { logits } = model.forward(next, forward);
      const token = draw(logits!.data);
      yield token;
      if (a.eos.has(token)) return;
      next = [token];
      if (performance.now() - turn > TURN) {
        await nextTask();
        turn = performance.now();
      }
    }
  } finally {
    own?.dispose();
  }
}

/** Other tasks' turn. A timer would take a millisecond. */
async function nextTask(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  await new Promise((resolve) => {
    port1.onmessage = resolve;
    port2.postMessage(0);
  });
  port1.close();
}
