import { failed } from '../check/values.js';
import type { OpenInWorker } from '../worker/model.js';
import type { AsyncModel, AsyncVisionModel, OpenWorkerModelOptions } from '../worker/modelTypes.js';
import { OPERATION } from './config/architecture.js';
import { openIn } from './openIn.js';
import { OPEN_MODEL, type Model, type OpenModelOptions, type VisionModel } from './types.js';
import { toSend } from './weights/remote.js';

/** A checkpoint of pictures opens as a `VisionModel`: `openModel<VisionModel>(…)`. */
export interface OpenModel {
  <M extends AsyncModel | AsyncVisionModel = AsyncModel>(options: OpenWorkerModelOptions): Promise<M>;
  <M extends Model | VisionModel = Model>(options: OpenModelOptions): Promise<M>;
}

/**
 * Makes an entry's `openModel`.
 *
 * @param library imports what opens a model where no `attention` is given
 */
export function createOpenModel(library: () => Promise<{ load: () => Promise<object> }>): OpenModel {
  return async (options: OpenModelOptions | OpenWorkerModelOptions) => {
    const attention = Object.hasOwn(Object(options) as object, 'attention') ? options.attention : undefined;
    const openInWorker = (Object(attention) as OpensModels)[OPEN_MODEL];
    if (openInWorker) return openInWorker(options, toSend);
    const given = attention ?? (await library().then(({ load }) => load(), explain));
    return openIn(given, options as OpenModelOptions).catch((error: unknown) => {
      // Until its stack is read, V8 keeps what the frames of an error refer to, here the whole file.
      void (error as Error).stack;
      throw error;
    });
  };
}

interface OpensModels {
  readonly [OPEN_MODEL]?: OpenInWorker;
}

function explain(cause: unknown): never {
  return failed(OPERATION, "the library's file", (cause as Error).message, cause);
}
