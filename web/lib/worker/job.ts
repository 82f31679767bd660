/** What is asked of a worker, and where the objects are that it is asked about. */
import type { Thread } from '../runtime/port.js';
import type { ProgressListener } from './progress.js';
import { pack, type Packed, type Request, type Token } from './wire.js';

/** How one call is made. */
export interface CallOptions {
  /**
   * Gives the call up: it rejects with the signal's reason, an `AbortError` by default, at once. One that waits its turn is
   * left out. One that is being computed is stopped by ending the worker; the next call gets a new one. Handles of layers,
   * caches and optimizers are lost with the worker, and reject from then on: where both matter, load two workers.
   */
  signal?: AbortSignal;
  /**
   * Hands over memory in place of copying it: the array buffers behind all arguments (true), or these. They are detached
   * on this side, as with `postMessage`. Default: everything is copied. Results are always handed over.
   */
  transfer?: boolean | readonly (ArrayBuffer | ArrayBufferView)[];
  /**
   * Is told, when a call has ended, how many of those that were made with this same function have: the calls of a module, of
   * layers and of optimizers count together. Within a call there is nothing to tell; a long one is better made in parts, by
   * heads or sequences. What it throws is an uncaught error, as an event listener's.
   */
  onProgress?: ProgressListener;
}

/** Where an object is: in which worker, under which number. */
export interface Reference {
  /** Undefined is the loaded module, which every worker has. */
  readonly thread: Thread | undefined;
  readonly id: number;
  /** What messages call it. */
  readonly label: string;
}

/** What a request gave, and the worker that gave it, where handles are. */
export interface Given {
  readonly packed: Packed;
  readonly thread: Thread;
}

export interface Job {
  readonly request: Request;
  readonly transfer: readonly ArrayBuffer[];
  /** The workers that the objects of the request are in. */
  readonly references: readonly Reference[];
  readonly resolve: (given: Given) => void;
  readonly reject: (reason: Error) => void;
}

/** Which objects handles stand for. */
export const references = new WeakMap<object, Reference>();

/**
 * A request with copies of its arguments, or with the arguments themselves where `transfer` hands them over: what waits must
 * not change with the caller's arrays.
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
  const packed = pack(args, (value) => tokenOf(value, used), buffers, transfer !== undefined);
  if (Array.isArray(transfer)) {
    buffers.clear();
    for (const part of transfer as readonly (ArrayBuffer | ArrayBufferView)[]) {
      buffers.add(ArrayBuffer.isView(part) ? (part.buffer as ArrayBuffer) : part);
    }
  }
  const request = structuredClone(
    { action, id: target.id, name, args: packed },
    { transfer: transfer ? [...buffers] : [] },
  );
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
