/** Requests to a worker, and references to the objects that live in it. */
import type { Known } from '../check/options.js';
import { tagOf, wrongKind, wrongUse } from '../check/values.js';
import type { Bytes, Want } from '../models/weights/remote.js';
import type { Thread } from '../runtime/port.js';
import type { ProgressListener } from './progress.js';
import { pack, type Packed, type Part, type Request, type Token } from './wire.js';

/** The options of a call. */
export interface CallOptions {
  /**
   * Cancels the call: it rejects at once with the signal's reason, by default an `AbortError`. A call that is still
   * waiting never runs. A running call is stopped by ending the worker, and the next call starts a new one. Layers,
   * caches and optimizers are lost with their worker, and their handles reject from then on. If you need to keep them,
   * load a second worker for calls that you may cancel.
   */
  signal?: AbortSignal;
  /**
   * Hands memory over instead of copying it: the array buffers of all arguments (true), or the listed ones. They are
   * detached on this side, as with `postMessage`. By default arguments are copied. Results are always handed over.
   */
  transfer?: boolean | readonly (ArrayBuffer | ArrayBufferView)[];
  /**
   * Called when a call has ended, with the number of ended calls among all calls (of the module, layers and optimizers)
   * with the same function. There is no progress within a call: split a long one by heads or sequences. An exception in
   * this function is an uncaught error, as in an event listener.
   */
  onProgress?: ProgressListener;
}

export const CALL_OPTIONS: Known<CallOptions> = { signal: 1, transfer: 1, onProgress: 1 };

/** An object in a worker. */
export interface Reference {
  /** Undefined for the loaded module, which every worker has. */
  readonly thread: Thread | undefined;
  readonly id: number;
  /** Its name in error messages. */
  readonly label: string;
}

/** The result of a request, and the worker that holds the objects of its handles. */
export interface Given {
  readonly packed: Packed;
  readonly thread: Thread;
}

/** Called with what the worker posts before its answer. */
export interface Listeners {
  readonly onPart?: (part: Part['part']) => void;
  readonly onWant?: (want: Want) => Promise<Bytes>;
}

export interface Job extends Listeners {
  readonly request: Request;
  readonly transfer: readonly ArrayBuffer[];
  /** The objects that the request uses. */
  readonly references: readonly Reference[];
  readonly resolve: (given: Given) => void;
  readonly reject: (reason: Error) => void;
}

/** The object behind each handle. */
export const references = new WeakMap<object, Reference>();

/**
 * Makes a request. Copies its arguments, or moves them if `transfer` says so, because the caller may change the arrays
 * while the request is waiting.
 */
export function prepare(
  action: Request['action'],
  target: Reference,
  name: string,
  args: readonly unknown[],
  transfer: CallOptions['transfer'],
): Pick<Job, 'request' | 'transfer' | 'references'> {
  const used = [target];
  const buffers = new Set<ArrayBuffer>();
  const packed = pack(args, (value) => tokenOf(value, used), buffers, transfer !== undefined, target.label);
  for (const arg of packed.body as readonly unknown[]) {
    const options = Object(arg) as { out?: unknown };
    if (Object.hasOwn(options, 'out') && options.out != null)
      wrongUse(target.label, 'no out, since a worker has its own memory', 'one');
  }
  if (Array.isArray(transfer)) {
    buffers.clear();
    for (const part of transfer as readonly unknown[]) buffers.add(checkBuffer(target.label, part));
  } else if (transfer !== undefined && typeof transfer !== 'boolean') {
    wrongKind(target.label, 'transfer to be a boolean or a list of array buffers', transfer);
  }
  const request = clone(target.label, { action, id: target.id, name, args: packed }, transfer ? [...buffers] : []);
  const moved = new Set<ArrayBuffer>();
  pack(request, () => undefined, moved, true);
  return { request, transfer: [...moved], references: used };
}

function tokenOf(value: object, used: Reference[]): Token | undefined {
  const reference = references.get(value);
  if (!reference) return undefined;
  used.push(reference);
  return { kind: 'reference', id: reference.id };
}

/** The buffer of an entry of the option `transfer`. */
function checkBuffer(label: string, part: unknown): ArrayBuffer {
  const buffer = ArrayBuffer.isView(part) ? part.buffer : part;
  if (tagOf(buffer) !== 'ArrayBuffer') wrongKind(label, 'transfer to list array buffers and their views', part);
  try {
    new Uint8Array(buffer as ArrayBuffer);
  } catch {
    wrongUse(label, 'transfer to list buffers in use', 'a detached one');
  }
  return buffer as ArrayBuffer;
}

function clone(label: string, request: Request, transfer: ArrayBuffer[]): Request {
  try {
    return structuredClone(request, { transfer });
  } catch (error) {
    return wrongUse(label, 'arguments that can be sent to a worker', (error as Error).message);
  }
}
