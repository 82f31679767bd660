/**
 * The script of the worker that `wasm-attention/worker` starts. It loads the library and computes one request after
 * another.
 *
 * @packageDocumentation
 */
import { checkOptions, type Known } from './check/options.js';
import { tagOf, wrongUse } from './check/values.js';
import { load } from './index.js';
import { openIn } from './models/openIn.js';
import type { Model, ModelCache, OpenModelOptions } from './models/types.js';
import type { LoadOptions } from './loadOptions.js';
import { serve } from './runtime/port.js';
import { factsOf } from './worker/model.js';
import { describe, forget, fromToken, objectOf, release, tokenOf, type Anything } from './worker/objects.js';
import { pack, unpack, type Answer, type Leave, type Part, type Request } from './worker/wire.js';

type Class = new (...args: readonly unknown[]) => unknown;

const models = new WeakSet<object>();
/** A generation that the page has not left. */
interface Generation {
  /** Weak, because the page may never say that it has left. */
  readonly cache: WeakRef<ModelCache> | undefined;
  /** The cache's length before the generation. */
  readonly past: number;
  /** Its length at the first token. */
  first?: number;
  ended?: boolean;
  /** How many tokens the caller has taken, once it takes no more. */
  taken?: number;
}
const generations = new Map<number, Generation>();
/** Milliseconds between messages with tokens: posting one takes longer than a small model takes for a token. */
const POST_INTERVAL = 8;

/** The properties that may be set. */
function assignable(object: object): Known<object> {
  const known: Record<string, 1> = {};
  for (let owner = object; owner !== Object.prototype; owner = Object.getPrototypeOf(owner) as object) {
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      if (property.set !== undefined) known[name] = 1;
    }
  }
  return known;
}

async function open(attention: object, options: object, post: (part: number[]) => void): Promise<object> {
  const onProgress = (...progress: [number, number]): void => post(progress);
  const model = await openIn(attention, { ...(options as OpenModelOptions), onProgress });
  models.add(model);
  return { model, facts: factsOf(model) };
}

/** Posts tokens as they arrive, and returns the ones not posted yet. */
async function generate(
  model: Model,
  [ids, options, number]: [...Parameters<Model['generate']>, number],
  post: (part: number[]) => void,
): Promise<number[]> {
  const cache = options?.cache;
  const generation: Generation = { cache: cache && new WeakRef(cache), past: cache?.length ?? 0 };
  generations.set(number, generation);
  let tokens: number[] = [];
  let posted = -Infinity;
  try {
    for await (const token of model.generate(ids, options)) {
      tokens.push(token);
      generation.first ??= cache?.length ?? 0;
      if (generation.taken !== undefined) break;
      if (performance.now() - posted < POST_INTERVAL) continue;
      post(tokens);
      tokens = [];
      posted = performance.now();
    }
    return tokens;
  } catch (error) {
    post(tokens);
    throw error;
  } finally {
    generation.ended = true;
    cutCache(generation);
  }
}

function leave({ leave: number, taken }: Leave): void {
  const generation = generations.get(number);
  if (!generation) return;
  generations.delete(number);
  generation.taken = taken;
  if (generation.ended) cutCache(generation);
}

/** Removes from the cache what the caller of an ended generation has not taken. */
function cutCache({ cache, past, first = past, taken }: Generation): void {
  const kept = cache?.deref();
  if (!kept || taken === undefined) return;
  const length = taken === 0 ? past : first + taken - 1;
  if (length >= kept.length) return;
  try {
    kept.truncate(length);
  } catch {
    // It was disposed.
  }
}

async function perform({ action, id, name, args }: Request, post: (part: number[]) => void): Promise<unknown> {
  const given = unpack(args, fromToken) as [unknown, ...unknown[]];
  if (action === 'load') {
    // The module needs a handle, although it looks like plain data.
    return { module: { kind: 'handle', ...describe(await load(given[0] as LoadOptions)) } };
  }
  const object = objectOf(id);
  if (action === 'release') {
    release(id);
    return;
  }
  if (action === 'open') return open(object, given[0] as object, post);
  const { hooks } = Object(given[1]) as { hooks?: unknown };
  if (models.has(object) && hooks != null && !(tagOf(hooks) === 'Object' && Object.keys(hooks).length === 0)) {
    wrongUse(name, "no hooks, since a worker cannot call the page's functions", 'some');
  }
  if (action === 'generate') {
    return generate(object as unknown as Model, given as unknown as Parameters<typeof generate>[1], post);
  }
  if (action === 'call') {
    const result = name === '' ? object(...given) : (object[name] as Anything).call(object, ...given);
    if (name === 'dispose') forget(id);
    return result;
  }
  if (action === 'construct') return new (object[name] as Class)(...given);
  if (action === 'get') return object[name];
  return void Object.assign(object, checkOptions('assign', given[0] as object, assignable(object)));
}

serve(async (message, post) => {
  if ('leave' in (message as Request | Leave)) {
    leave(message as Leave);
    return;
  }
  const request = message as Request;
  const buffers = new Set<ArrayBuffer>();
  let answer: Answer;
  try {
    const result = await perform(request, (part) => post({ part } satisfies Part, []));
    answer = { result: pack(result, (value) => tokenOf(value, request.id), buffers) };
  } catch (error) {
    buffers.clear();
    const { name, message } = error as Error;
    answer = { error: { name, message } };
  }
  post(answer, [...buffers]);
});
