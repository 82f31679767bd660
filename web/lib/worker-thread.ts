/**
 * The script of the worker that `wasm-attention/worker` starts. It loads the library and computes one request after
 * another.
 *
 * @packageDocumentation
 */
import { checkOptions, type Known } from './check/options.js';
import { wrongUse } from './check/values.js';
import { load } from './index.js';
import { openIn } from './models/openIn.js';
import type { Model, OpenModelOptions } from './models/types.js';
import type { LoadOptions } from './loadOptions.js';
import { serve } from './runtime/port.js';
import { factsOf, type Generated } from './worker/model.js';
import { describe, forget, fromToken, objectOf, release, tokenOf, type Anything } from './worker/objects.js';
import { pack, STOP, unpack, type Answer, type Part, type Request } from './worker/wire.js';

type Class = new (...args: readonly unknown[]) => unknown;

const models = new WeakSet<object>();
/** Whether the page has asked to stop the generation. */
let stopped = false;
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
  [ids, options]: Parameters<Model['generate']>,
  post: (part: number[]) => void,
): Promise<Generated> {
  const cache = options?.cache;
  const past = cache?.length ?? 0;
  let first: number | undefined;
  let tokens: number[] = [];
  let posted = -Infinity;
  stopped = false;
  for await (const token of model.generate(ids, options)) {
    tokens.push(token);
    first ??= cache?.length ?? 0;
    if (stopped) break;
    if (performance.now() - posted < POST_INTERVAL) continue;
    post(tokens);
    tokens = [];
    posted = performance.now();
  }
  return { tokens, past, first: first ?? past };
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
  if (models.has(object) && (Object(given[1]) as { hooks?: unknown }).hooks != null) {
    wrongUse(name, "no hooks, since a worker cannot call the page's functions", 'some');
  }
  if (action === 'generate') {
    return generate(object as unknown as Model, given as unknown as Parameters<Model['generate']>, post);
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
  if (message === STOP) {
    stopped = true;
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
