import { failed } from '../check/values.js';
import type { OpenInWorker } from '../worker/model.js';
import type { AsyncModel, OpenWorkerModelOptions } from '../worker/modelTypes.js';
import { OPERATION } from './config/architecture.js';
import { openIn } from './openIn.js';
import { OPEN_MODEL, type Model, type OpenModelOptions } from './types.js';

/**
 * Opens a checkpoint of one of the families that the guide "Real models" lists. Names of tensors are Hugging Face's,
 * with or without the family's prefix; `gamma` and `beta` mean `weight` and `bias`. A head that predicts tokens or
 * classifies gives `logits`: the one that `config.architectures` names, or else the one whose tensors are in the file.
 * If the file has no output matrix for tokens, the embedding's is used where the config ties them.
 *
 * With `attention` from `loadWorker` the model is opened in that worker: its calls return promises, and hooks throw a
 * TypeError.
 *
 * Without `attention` it imports `wasm-attention`. A service worker cannot import files later: pass `attention` there.
 *
 * @throws RangeError that names the tensor or field of the config that is missing, misshapen or not supported, before
 *   any memory is allocated; TypeError for arguments of the wrong kind
 * @example
 * const model = await openModel({ config: await config.json(), weights: await weights.arrayBuffer() });
 */
export async function openModel(options: OpenWorkerModelOptions): Promise<AsyncModel>;
export async function openModel(options: OpenModelOptions): Promise<Model>;
export async function openModel(options: OpenModelOptions | OpenWorkerModelOptions): Promise<Model | AsyncModel> {
  const attention = Object.hasOwn(Object(options) as object, 'attention') ? options.attention : undefined;
  const openInWorker = (Object(attention) as OpensModels)[OPEN_MODEL];
  if (openInWorker) return openInWorker(options);
  const given = attention ?? (await import('../index.js').then(({ load }) => load(), explain));
  return openIn(given, options as OpenModelOptions).catch((error: unknown) => {
    // Until its stack is read, V8 keeps what the frames of an error refer to, here the whole file.
    void (error as Error).stack;
    throw error;
  });
}

interface OpensModels {
  readonly [OPEN_MODEL]?: OpenInWorker;
}

function explain(cause: unknown): never {
  return failed(OPERATION, "the library's file", (cause as Error).message, cause);
}
