import { toTensor } from '../check/arrays.js';
import { checkOptions } from '../check/options.js';
import { checkFinite, checkInteger, tagOf, wrongKind, wrongUse, wrongValue } from '../check/values.js';
import type { Memory } from '../runtime/memory.js';
import { storeOf, type CacheStore } from '../steps/cache.js';
import type { Architecture } from './config/architecture.js';
import { checkPass, type Pass, type Run } from './pass/check.js';
import type { Program } from './pass/types.js';
import { drawer } from './sampling.js';
import { toRows } from './tokens.js';
import {
  GENERATE_OPTIONS,
  type GenerateOptions,
  type Model,
  type ModelCache,
  type ModelForwardOptions,
} from './types.js';

const OPERATION = 'generate';
/** The initial capacity of a cache beyond the prompt, since a model may allow a hundred thousand tokens. */
const FIRST_TOKENS = 64;
/** Milliseconds, a frame, after which other tasks may run. */
const TIME_SLICE = 16;

/**
 * See `Model.generate`.
 *
 * @param predicts whether logits are of tokens, not of classes
 * @param run runs a pass of the model
 */
export async function* generate(
  model: Model,
  a: Architecture,
  predicts: boolean,
  run: Run,
  ids: readonly number[],
  options: GenerateOptions | undefined,
): AsyncGenerator<number> {
  const given = checkOptions(OPERATION, options, GENERATE_OPTIONS);
  const { signal, ablate, positions, hooks } = given;
  const [maxTokens, topK] = [given.maxTokens ?? undefined, given.topK ?? undefined];
  const [temperature, topP] = [given.temperature ?? 0, given.topP ?? 1];
  if (!a.causal) wrongUse(OPERATION, 'a decoder', a.family);
  if (!predicts) {
    const decoder = a.tasks.CausalLM?.decoder;
    const wanted = `'${decoder}.weight', or config.tie_word_embeddings to be true`;
    wrongUse(OPERATION, `a checkpoint with a head that predicts tokens (${wanted})`, 'one without');
  }
  const { batch, data } = toRows(OPERATION, 'ids', ids, a.vocab - 1);
  if (batch !== 1) wrongValue(OPERATION, 'ids of one sequence', batch);
  if (maxTokens !== undefined) checkInteger(OPERATION, 'maxTokens', maxTokens, 0);
  if (!(checkFinite(OPERATION, 'temperature', temperature) >= 0)) {
    wrongValue(OPERATION, 'temperature of at least 0', temperature);
  }
  if (topK !== undefined) checkInteger(OPERATION, 'topK', topK, 1);
  if (!(typeof topP === 'number' && topP > 0 && topP <= 1)) wrongValue(OPERATION, 'topP within (0, 1]', topP);
  if (signal != null && tagOf(signal) !== 'AbortSignal') wrongKind(OPERATION, 'signal to be an AbortSignal', signal);
  if (positions != null && positions !== 'none') wrongValue(OPERATION, "positions to be 'none'", positions);
  const { seed = Math.floor(Math.random() * 2 ** 32) } = given;
  checkInteger(OPERATION, 'seed', seed, 0, 2 ** 32 - 1);
  for (const name of ['topK', 'topP'] as const) {
    // Greedy tokens would not depend on it.
    if (given[name] != null && given.temperature == null) wrongValue(OPERATION, `temperature with ${name}`, 'none');
  }
  const draw = drawer(temperature, topK, topP, seed);

  const store = given.cache == null ? undefined : storeOf(OPERATION, given.cache, model, 1, 0);
  const past = store?.length ?? 0;
  const room = (store?.sizes.capacity ?? model.maxLength) - past - data.length;
  // The last token needs no pass of its own.
  const limit = Math.min(maxTokens ?? Infinity, Math.max(room + 1, 0));
  if (limit === 0 && maxTokens !== 0) wrongValue(OPERATION, `up to ${room + data.length} tokens`, data.length);
  let own =
    given.cache == null
      ? model.createCache({ maxLength: Math.min(model.maxLength, data.length + Math.min(limit, FIRST_TOKENS)) })
      : undefined;
  const wanted: ModelForwardOptions = {
    lastOnly: true,
    ...(ablate != null && { ablate }),
    ...(positions != null && { positions }),
    ...(hooks != null && { hooks }),
  };
  try {
    const logits = new Float32Array(a.vocab);
    const read = (memory: Memory, program: Program): number =>
      draw(memory.read(program.logits!.address, a.vocab, logits));
    let pass: Pass | undefined;
    let token = 0;
    let changes = store?.changes;
    let sliceStart = performance.now();
    for (let count = 0; count < limit && !signal?.aborted; ++count) {
      if (pass && own && own.length === own.maxLength) own = grown(model, own);
      const cache = own ?? given.cache!;
      pass = pass
        ? following(pass, token, storeOf(OPERATION, cache, model, 1, 1))
        : checkPass(model, a, OPERATION, Array.from(data), { ...wanted, cache }, true);
      if (store?.changes !== changes) {
        wrongUse(OPERATION, 'the cache to stay unchanged between tokens', 'a changed one');
      }
      token = run(pass, read);
      if (token < 0) refuseLogits(run, pass, a);
      changes = store?.changes;
      yield token;
      if (a.eos.has(token)) return;
      if (performance.now() - sliceStart > TIME_SLICE) {
        await nextTask();
        sliceStart = performance.now();
      }
    }
  } finally {
    own?.dispose();
  }
}

/** The pass over the next token. */
function following(pass: Pass, token: number, store: CacheStore): Pass {
  return {
    ...pass,
    cache: store,
    given: { batch: 1, tokens: 1, data: Int32Array.of(token), mask: undefined },
    request: { ...pass.request, tokens: 1, past: store.length, cache: store },
    length: store.length + 1,
  };
}

/**
 * Throws an error that tells where the numbers began that make a pass's logits useless. It runs the pass again, with the
 * caller's hooks.
 */
function refuseLogits(run: Run, pass: Pass, { layers, names }: Architecture): never {
  const { cache, request } = pass;
  const found: string[] = [];
  const hooks = new Map(request.hooks);
  const watch = (name: string, place: string): void => {
    const own = hooks.get(name);
    hooks.set(name, (value) => {
      const returned = own?.(value);
      const { data } = returned ? toTensor(OPERATION, name, returned) : value;
      if (!data.every(Number.isFinite)) found.push(place);
      return returned;
    });
  };
  watch('blocks.0.hook_resid_pre', 'the embeddings');
  for (let layer = 0; layer < layers; ++layer) watch(`blocks.${layer}.hook_resid_post`, `layer ${layer}`);
  if (names.finalNorm !== undefined) watch('ln_final.hook_normalized', 'the last norm');
  cache!.truncate(request.past);
  run({ ...pass, request: { ...request, hooks } }, () => undefined);
  cache!.truncate(request.past);
  return wrongValue(OPERATION, 'finite logits', `NaN or infinity, first in ${found[0] ?? 'the logits'}`);
}

/** Replaces `cache` with one of twice the capacity and the same content. */
function grown(model: Model, cache: ModelCache): ModelCache {
  const larger = model.createCache({ maxLength: Math.min(model.maxLength, 2 * cache.maxLength) });
  const [from, to] = [cache, larger].map((each) => storeOf(OPERATION, each, model, 1, 0)) as [CacheStore, CacheStore];
  from.copyTo(to);
  cache.dispose();
  return larger;
}

/** Lets other tasks run. A timer would take a millisecond, but Next's edge runtime refuses to make channels. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    try {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(0);
    } catch {
      setTimeout(resolve);
    }
  });
}
