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
import type { Prompts } from './models/tokens.js';
import type { GenerateOptions, Model, ModelCache, OpenModelOptions } from './models/types.js';
import { fromPage, type Bytes, type Want } from './models/weights/remote.js';
import type { LoadOptions } from './loadOptions.js';
import { serve } from './runtime/port.js';
import { describe, forget, fromToken, objectOf, release, tokenOf, type Anything } from './worker/objects.js';
import {
  pack,
  unpack,
  type Answer,
  type Brought,
  type Leave,
  type Part,
  type Request,
  type Wanted,
} from './worker/wire.js';

type Post = (part: Part | Wanted, transfer?: ArrayBuffer[]) => void;
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

/** Called with the bytes that the page brings. */
let onBrought = (_bytes: Bytes): void => undefined;

async function open(
  attention: object,
  [options, files]: [OpenModelOptions, Parameters<typeof fromPage>[1]],
  post: Post,
): Promise<object> {
  const ask = (want: Want): Promise<Bytes> => {
    post({ want }, [want.buffer]);
    return new Promise((resolve) => (onBrought = resolve));
  };
  const onProgress = (...part: [number, number]): void => post({ part });
  const model = await openIn(attention, { ...fromPage(options, files, ask), onProgress });
  models.add(model);
  // Its own properties.
  return { model, facts: { ...model } };
}

/** Posts tokens as they arrive, and returns the ones not posted yet. */
async function generate(
  model: Model,
  [ids, options, number]: [Prompts, GenerateOptions | undefined, number],
  post: Post,
): Promise<Part['part']> {
  const cache = options?.cache;
  const generation: Generation = { cache: cache && new WeakRef(cache), past: cache?.length ?? 0 };
  generations.set(number, generation);
  let tokens: (number | number[])[] = [];
  let posted = -Infinity;
  try {
    for await (const token of model.generate(ids as number[], options)) {
      tokens.push(token);
      generation.first ??= cache?.length ?? 0;
      if (generation.taken !== undefined) break;
      if (performance.now() - posted < POST_INTERVAL) continue;
      post({ part: tokens });
      tokens = [];
      posted = performance.now();
    }
    return tokens;
  } catch (error) {
    post({ part: tokens });
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

async function perform({ action, id, name, args }: Request, post: Post): Promise<unknown> {
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
  if (action === 'open') return open(object, given as unknown as Parameters<typeof open>[1], post);
  if (models.has(object)) {
    const refuse = (what: string) =>
      wrongUse(name, `no ${what}, since a worker cannot call the page's functions`, 'some');
    const { hooks, onLogits } = Object(given.at(name === 'activations' ? 2 : 1)) as Record<string, unknown>;
    if (hooks != null && !(tagOf(hooks) === 'Object' && Object.values(hooks).every((hook) => tagOf(hook) === 'Object')))
      refuse('hooks');
    if (onLogits != null) refuse('onLogits');
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
  if ('leave' in (message as Request | Leave | Brought)) {
    leave(message as Leave);
    return;
  }
  if ('bytes' in (message as Request | Brought)) {
    onBrought((message as Brought).bytes);
    return;
  }
  const request = message as Request;
  const buffers = new Set<ArrayBuffer>();
  let answer: Answer;
  try {
    const result = await perform(request, (part, transfer = []) => post(part, transfer));
    answer = { result: pack(result, (value) => tokenOf(value, request.id), buffers) };
  } catch (error) {
    buffers.clear();
    const { name, message } = error as Error;
    answer = { error: { name, message } };
  }
  post(answer, [...buffers]);
});
