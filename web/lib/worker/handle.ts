/// <reference lib="esnext.disposable" preserve="true" />
import { checkOptions } from '../check/options.js';
import type { Connection } from './connection.js';
import { CALL_OPTIONS, references, type CallOptions, type Given, type Reference } from './job.js';
import { unpack, type Description } from './wire.js';

const asyncDispose: typeof Symbol.asyncDispose =
  Symbol.asyncDispose ?? (Symbol.for('Symbol.asyncDispose') as typeof Symbol.asyncDispose);

const registry = new FinalizationRegistry<() => void>((release) => release());

/** Makes a handle's additional members, for the options of its calls. */
type Own = (options: CallOptions, reference: Reference) => object;

/** A result from the worker, with handles for its objects and functions. */
export function received(connection: Connection, label: string, { packed, thread }: Given, own?: Own): unknown {
  return unpack(packed, (token) => {
    if (token.kind !== 'handle') return undefined;
    const reference = { thread, id: token.id, label };
    const handle = createHandle(connection, reference, token, {}, own);
    registry.register(handle, () => connection.release(reference));
    return handle;
  });
}

/** The handle of an object in the worker: its methods, classes and properties, asynchronous. */
export function createHandle(
  connection: Connection,
  reference: Reference,
  description: Description,
  options: CallOptions,
  own: Own = () => ({}),
): object {
  const { label } = reference;
  const request = async (action: 'call' | 'construct' | 'get' | 'assign', name: string, args: readonly unknown[]) => {
    const called = label === '' ? name : name === '' ? label : `${label}.${name}`;
    const target = { ...reference, label: called };
    return received(
      connection,
      action === 'construct' ? name : called,
      await connection.request(action, target, name, args, options),
    );
  };
  const method =
    (name: string) =>
    (...args: readonly unknown[]) =>
      request('call', name, args);

  if (description.methods[0] === '') {
    const callable = method('');
    references.set(callable, reference);
    return callable;
  }
  const handle: Record<string | symbol, unknown> = {};
  const members = own(options, reference);
  for (const name of description.methods) handle[name] = method(name);
  for (const name of description.classes) {
    // A constructor may return any object; with this one, `new` returns a promise.
    handle[name] = function (...args: readonly unknown[]) {
      return request('construct', name, args);
    };
  }
  for (const name of description.values) {
    if (name in members) continue;
    Object.defineProperty(handle, name, { get: () => request('get', name, []), enumerable: false });
  }
  handle.assign = (values: object) => request('assign', 'assign', [values]);
  handle.with = (changed: CallOptions) => {
    const given = checkOptions(`${label && `${label}.`}with`, changed, CALL_OPTIONS);
    const derived = createHandle(connection, reference, description, { ...options, ...given }, own);
    // The object lives as long as one of its handles.
    parents.set(derived, handle);
    return derived;
  };
  if (description.methods.includes('dispose')) handle[asyncDispose] = handle.dispose;
  references.set(handle, reference);
  return Object.assign(handle, members);
}

const parents = new WeakMap<object, object>();
