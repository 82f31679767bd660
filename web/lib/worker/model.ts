/** Models in a worker, as the page sees them. */
import { checkOptions } from '../check/options.js';
import { tagOf, wrongUse } from '../check/values.js';
import { checkCalls } from '../models/calls.js';
import {
  GENERATE_OPTIONS,
  OPEN_OPTIONS,
  type GenerateOptions,
  type ModelFacts,
  type OpenModelOptions,
} from '../models/types.js';
import type { Prompts } from '../models/tokens.js';
import type { Sendable } from '../models/weights/remote.js';
import type { Connection } from './connection.js';
import { received } from './handle.js';
import { references, type CallOptions, type Given, type Reference } from './job.js';
import type { AsyncModel, InWorker, OpenWorkerModelOptions } from './modelTypes.js';
import { NEVER_BEGAN, type Part } from './wire.js';

export type OpenInWorker = (
  options: OpenModelOptions | OpenWorkerModelOptions,
  toSend: (options: OpenModelOptions, signal: AbortSignal | undefined) => Sendable,
) => Promise<AsyncModel>;

/** The function that opens models in the worker of this module. */
export function openInWorker(connection: Connection, module: Reference, calls: CallOptions): OpenInWorker {
  return async (options, toSend) => {
    const label = 'openModel';
    const given = checkOptions(label, options as OpenModelOptions, OPEN_OPTIONS);
    const { onProgress, signal } = checkCalls(given);
    signal?.throwIfAborted();
    const ending = new AbortController();
    const sent = toSend(given, ending.signal);
    const listeners = {
      onPart: (part: Part['part']): void => {
        if (ending.signal.aborted) return;
        try {
          onProgress?.(...(part as [number, number]));
        } catch (error) {
          // It ends the opening, as where there is no worker.
          ending.abort(error);
        }
      },
      onWant: sent.answer,
    };
    // If it has not begun, it never will; if it has, it ends where it reads on.
    ending.signal.addEventListener('abort', () => connection.leave(0, listeners.onPart, 0));
    const abort = (): void => ending.abort(signal!.reason);
    signal?.addEventListener('abort', abort);
    try {
      const request = connection.request(
        'open',
        { ...module, label },
        label,
        [sent.options, sent.files],
        calls,
        listeners,
      );
      const model = modelOf(connection, await request);
      if (ending.signal.aborted) await model.dispose();
      ending.signal.throwIfAborted();
      return model;
    } catch (error) {
      ending.signal.throwIfAborted();
      throw sent.failure() ?? error;
    } finally {
      signal?.removeEventListener('abort', abort);
      sent.close();
    }
  };
}

function modelOf(connection: Connection, given: Given): AsyncModel {
  const { facts } = given.packed.body as { facts: ModelFacts };
  Object.freeze(facts.unused);
  Object.freeze(facts.labels);
  const own = (_calls: CallOptions, reference: Reference): object => ({
    ...facts,
    // Models of pictures generate nothing.
    ...(facts.vocabSize > 0 && { generate: generator(connection, reference) }),
  });
  return (received(connection, 'Model', given, own) as { model: AsyncModel }).model;
}

/** Makes `AsyncModel.generate`. */
function generator(connection: Connection, model: Reference) {
  return async function* (ids: Prompts, options?: InWorker<GenerateOptions>): AsyncGenerator<number | number[]> {
    const target = { ...model, label: 'generate' };
    const given = checkOptions('generate', options as GenerateOptions, GENERATE_OPTIONS);
    const signal = tagOf(given.signal) === 'AbortSignal' ? given.signal : undefined;
    const aborted = (): boolean => signal?.aborted === true;
    const sent = { ...given, ...(signal && { signal: null }), ...(aborted() && { maxTokens: 0 }) };

    const tokens: (number | number[])[] = [];
    let wake = (): void => undefined;
    const onPart = (part: Part['part']): void => {
      tokens.push(...part);
      wake();
    };
    let [ended, changed, left] = [false, false, false];
    let failure: Error | undefined;
    const number = connection.numberGeneration();
    const end = connection
      .request('generate', target, 'generate', [ids, sent, number], {}, { onPart })
      .then(({ packed }) => {
        ended = true;
        onPart(packed.body as Part['part']);
      })
      .catch((error: unknown) => {
        if (error !== NEVER_BEGAN) failure = error as Error;
        wake();
      });
    let count = 0;
    const leave = (): void => {
      if (!left) connection.leave(number, onPart, count);
      left = true;
      wake();
    };
    const cache = given.cache && references.get(given.cache);
    // The worker is ahead of the caller, so the cache is cut to the caller's tokens before others use it.
    const unwatch =
      cache &&
      connection.watchCache(cache, () => {
        changed = true;
        leave();
      });
    signal?.addEventListener('abort', leave);
    try {
      while (!aborted()) {
        if (count < tokens.length && !changed) yield tokens[count++]!;
        else if (failure !== undefined) throw failure;
        else if (ended && count === tokens.length) return;
        else if (changed) wrongUse('generate', 'the cache to stay unchanged between tokens', 'a changed one');
        else await new Promise<void>((resolve) => (wake = resolve));
      }
      await end;
      if (failure !== undefined) throw failure;
    } finally {
      signal?.removeEventListener('abort', leave);
      unwatch?.();
      leave();
      await end;
    }
  };
}
