/** Models in a worker, as the page sees them. */
import { checkOptions } from '../check/options.js';
import { tagOf, wrongKind } from '../check/values.js';
import {
  GENERATE_OPTIONS,
  OPEN_OPTIONS,
  type GenerateOptions,
  type ModelFacts,
  type OpenModelOptions,
} from '../models/types.js';
import type { Connection } from './connection.js';
import { received } from './handle.js';
import { references, type CallOptions, type Reference } from './job.js';
import type { AsyncModel, OpenWorkerModelOptions } from './modelTypes.js';

export type OpenInWorker = (options: OpenModelOptions | OpenWorkerModelOptions) => Promise<AsyncModel>;

/** The worker's answer at the end of a generation. */
export interface Generated {
  /** The tokens that it has not posted. */
  readonly tokens: readonly number[];
  /** The length of the caller's cache before the generation, and at its first token. */
  readonly past: number;
  readonly first: number;
}

export function factsOf(model: ModelFacts): ModelFacts {
  const { family, numLayers, numHeads, numHiddens, vocabSize, maxLength, isCausal, positionKind, labels } = model;
  const { parameterBytes, unused } = model;
  return {
    family,
    numLayers,
    numHeads,
    numHiddens,
    vocabSize,
    maxLength,
    isCausal,
    positionKind,
    labels,
    parameterBytes,
    unused,
  };
}

/** The function that opens models in the worker of this module. */
export function openInWorker(connection: Connection, module: Reference, calls: CallOptions): OpenInWorker {
  return async (options) => {
    const label = 'openModel';
    const { config, weights, onProgress, weightType, cacheType } = checkOptions(
      label,
      options as OpenModelOptions,
      OPEN_OPTIONS,
    );
    if (onProgress != null && typeof onProgress !== 'function') {
      wrongKind(label, 'onProgress to be a function', onProgress);
    }
    const target = { ...module, label };
    const onPart = onProgress && ((part: readonly number[]) => onProgress(part[0]!, part[1]!));
    const given = await connection.request(
      'open',
      target,
      label,
      [{ config, weights, weightType, cacheType }],
      calls,
      onPart,
    );
    const { facts } = given.packed.body as { facts: ModelFacts };
    Object.freeze(facts.unused);
    Object.freeze(facts.labels);
    const own = (_calls: CallOptions, reference: Reference): object => ({
      ...facts,
      generate: generator(connection, reference),
    });
    const { model } = received(connection, 'Model', given, own) as { model: AsyncModel };
    return model;
  };
}

/** Makes `AsyncModel.generate`. */
function generator(connection: Connection, model: Reference): AsyncModel['generate'] {
  return async function* (ids, options) {
    const target = { ...model, label: 'generate' };
    const given = checkOptions('generate', options as GenerateOptions, GENERATE_OPTIONS);
    const signal = tagOf(given.signal) === 'AbortSignal' ? given.signal : undefined;
    const aborted = (): boolean => signal?.aborted === true;
    const sent = { ...given, ...(signal && { signal: null }), ...(aborted() && { maxTokens: 0 }) };

    const tokens: number[] = [];
    let wake = (): void => undefined;
    const onPart = (part: readonly number[]): void => {
      tokens.push(...part);
      wake();
    };
    let generated: Generated | undefined;
    let failure: Error | undefined;
    const end = connection
      .request('generate', target, 'generate', [ids, sent], {}, onPart)
      .then(({ packed }) => {
        generated = packed.body as Generated;
        onPart(generated.tokens);
      })
      .catch((error: unknown) => {
        failure = error as Error;
        wake();
      });
    const stop = (): void => {
      connection.stop(onPart);
      wake();
    };
    signal?.addEventListener('abort', stop);
    let count = 0;
    try {
      while (!aborted()) {
        if (count < tokens.length) yield tokens[count++]!;
        else if (failure !== undefined) throw failure;
        else if (generated) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
      await end;
      if (failure !== undefined) throw failure;
    } finally {
      signal?.removeEventListener('abort', stop);
      connection.stop(onPart);
      await end;
      const cache = given.cache && references.get(given.cache);
      // The worker may have been ahead of the caller.
      if (cache && generated && count < tokens.length) {
        const length = count === 0 ? generated.past : generated.first + count - 1;
        await connection.request('call', cache, 'truncate', [length]);
      }
    }
  };
}
