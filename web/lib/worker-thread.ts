/**
 * The script of the worker that `wasm-attention/worker` starts. It loads the library, keeps the objects for which the page has
 * handles, and computes one request after another.
 *
 * @packageDocumentation
 */
import { checkOptions, type Known } from './check/options.js';
import { wrongUse } from './check/values.js';
import { load } from './index.js';
import type { Model, OpenModelOptions } from './models.js';
import type { Operations } from './operations.js';
import type { LoadOptions } from './runtime/load.js';
import { serve } from './runtime/port.js';
import {
  pack,
  STOP,
  unpack,
  type Answer,
  type Description,
  type Part,
  type Request,
  type Token,
} from './worker/wire.js';
import { factsOf, type Generated } from './worker/model.js';

type Anything = Record<string, unknown> & ((...args: readonly unknown[]) => unknown);
type Class = new (...args: readonly unknown[]) => unknown;

const objects = new Map<number, Anything>();
/** The functions that the methods of an object have returned: the backward passes of a layer. */
const returned = new Map<number, Set<number>>();
let nextId = 0;
const models = new WeakSet<object>();
/** Whether the page has asked for the end of the generation. */
let stopped = false;
/** Milliseconds between messages with tokens, which would otherwise take longer than those of a small model. */
const PAUSE = 8;

/** Whether a value is plain data: an array, or an object that has neither a class nor getters. */
function isData(value: object): boolean {
  if (ArrayBuffer.isView(value) || Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(Object.getOwnPropertyDescriptors(value)).every((property) => !('get' in property));
}

/** Stores an object and describes it for its handle. */
function describe(object: object): Description {
  const id = nextId++;
  objects.set(id, object as Anything);
  const description = {
    id,
    methods: new Set<string>(),
    classes: new Set<string>(),
    values: new Set<string>(),
  };
  if (typeof object === 'function') return { id, methods: [''], classes: [], values: [] };
  for (
    let owner = object;
    owner !== null && owner !== Object.prototype;
    owner = Object.getPrototypeOf(owner) as object
  ) {
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      if (name === 'constructor') continue;
      const kind =
        typeof property.value !== 'function' ? 'values' : /^[A-Z]/.test(name) ? 'classes' : 'methods';
      description[kind].add(name);
    }
  }
  return {
    id,
    methods: [...description.methods],
    classes: [...description.classes],
    values: [...description.values],
  };
}

/** The token of what a method of object `owner` has returned, unless it is data. */
function tokenOf(value: object, owner: number): Token | undefined {
  if (isData(value)) return undefined;
  const description = describe(value);
  if (typeof value === 'function') {
    const functions = returned.get(owner) ?? new Set();
    returned.set(owner, functions.add(description.id));
  }
  return { kind: 'handle', ...description };
}

function fromToken(token: Token): unknown {
  if (token.kind === 'reference') return objects.get(token.id);
  if (token.kind === 'symbol') return Symbol(token.text);
  const { text } = token as { text: string };
  return Object.assign(() => undefined, { toString: () => text });
}

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
  const { openModel } = await import('./models.js');
  const model = await openModel({
    ...(options as OpenModelOptions),
    attention: attention as Operations,
    onProgress: (...progress) => post(progress),
  });
  models.add(model);
  return { model, facts: factsOf(model) };
}

/** Posts tokens as they come, and returns those that have not been posted. */
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
    if (performance.now() - posted < PAUSE) continue;
    post(tokens);
    tokens = [];
    posted = performance.now();
  }
  return { tokens, past, first: first ?? past };
}

async function perform(
  { action, id, name, args }: Request,
  post: (part: number[]) => void,
): Promise<unknown> {
  const given = unpack(args, fromToken) as [unknown, ...unknown[]];
  if (action === 'load') {
    // The module needs a handle, although it looks like plain data.
    return { module: { kind: 'handle', ...describe(await load(given[0] as LoadOptions)) } };
  }
  const object = objects.get(id)!;
  if (action === 'release') {
    release(id);
    return;
  }
  if (action === 'open') return open(object, given[0] as object, post);
  if (models.has(object) && (Object(given[1]) as { hooks?: unknown }).hooks != null) {
    wrongUse(name, 'no hooks, since a worker cannot call functions of the page', 'some');
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

function release(id: number): void {
  objects.delete(id);
  returned.delete(id);
  for (const functions of returned.values()) functions.delete(id);
}

/** Lets go of what the functions of a disposed object hold: from now on they throw what they would throw. */
function forget(id: number): void {
  for (const at of returned.get(id) ?? []) {
    try {
      objects.get(at)?.();
    } catch (error) {
      const refuse = (): never => {
        throw error;
      };
      objects.set(at, refuse as unknown as Anything);
    }
  }
  returned.delete(id);
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
