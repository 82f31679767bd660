import { wrongKind } from '../check/values.js';
import { cores, OPEN_MODEL, type Core } from '../runtime/cores.js';
import { OPERATION } from './config/architecture.js';
import { readConfig } from './config/readConfig.js';
import { openWeights } from './files.js';
import { explain } from './late.js';
import { OpenModel } from './model.js';
import type { OpenInWorker } from '../worker/model.js';
import type { AsyncModel, OpenWorkerModelOptions } from '../worker/modelTypes.js';
import { OPEN_OPTIONS } from './options.js';
import type { Model, OpenModelOptions } from './types.js';
import { placeWeights } from './weights/placeWeights.js';

/**
 * Opens a checkpoint. Families by `config.model_type`: bert, roberta, distilbert, albert, gpt2, gpt_neox (Pythia),
 * llama, mistral, qwen2 and qwen3. Names of tensors are Hugging Face's, with or without the family's prefix; `gamma`
 * and `beta` mean `weight` and `bias`. A head that predicts tokens or sorts sequences gives `logits`; what it needs and
 * the file lacks is tied to the embedding where the config says so.
 *
 * With `attention` from `loadWorker` the model is opened in that worker: its calls return promises, and hooks are a
 * TypeError.
 *
 * What only some models need is imported when they need it, so a service worker, which cannot import files later,
 * cannot open models.
 *
 * @throws RangeError that names the tensor or the config's field which is missing, misshapen or not supported, before
 *   any memory is taken; TypeError for arguments of the wrong kind
 * @example
 * const model = await openModel({ config: await config.json(), weights: await weights.arrayBuffer() });
 */
export async function openModel(options: OpenWorkerModelOptions): Promise<AsyncModel>;
export async function openModel(options: OpenModelOptions): Promise<Model>;
export async function openModel(options: OpenModelOptions | OpenWorkerModelOptions): Promise<Model | AsyncModel> {
  const { attention } = Object(options) as Partial<OpenModelOptions>;
  const openInWorker = (Object(attention) as OpensModels)[OPEN_MODEL];
  if (openInWorker) return openInWorker(options);
  const core = await coreOf(attention);
  const { wasm, tools } = core;
  const { config, weights, onProgress, weightType, cacheType } = tools.checkOptions(
    OPERATION,
    options as OpenModelOptions,
    OPEN_OPTIONS,
  );
  if (onProgress != null && typeof onProgress !== 'function') {
    wrongKind(OPERATION, 'onProgress to be a function', onProgress);
  }
  const kept = tools.checkWeightType(OPERATION, 'weightType', weightType);
  tools.checkWeightType(OPERATION, 'cacheType', cacheType);
  const architecture = await readConfig(tools, config);
  const tensors = await openWeights(tools, weights, architecture.names.prefix);
  // Few checkpoints have a head that sorts.
  const sorts = SORTING.some((name) => tensors.has(name));
  const { classifier } = sorts ? await import('./weights/classifier.js').catch(explain) : {};
  const placed = placeWeights(wasm, tensors, architecture, kept, classifier, onProgress ?? undefined);
  return new OpenModel(core, architecture, placed, tensors.unused, cacheType);
}

/** The last maps of heads that sort sequences or tokens. */
const SORTING = ['score.weight', 'classifier.weight', 'classifier.out_proj.weight'];

interface OpensModels {
  readonly [OPEN_MODEL]?: OpenInWorker;
}

/** What is behind a loaded module. */
async function coreOf(attention: unknown): Promise<Core> {
  const own = attention ?? (await import('../index.js').then(({ load }) => load(), explain));
  // A WeakMap has nothing for what is no object.
  const core = cores.get(own);
  return core ?? wrongKind(OPERATION, "attention to be from this version's load()", own);
}
