import { checkOptions, type Known } from '../check/options.js';
import { checkWeightType } from '../check/weightType.js';
import { failed, wrongKind } from '../check/values.js';
import { cores, OPEN_MODEL } from '../runtime/cores.js';
import type { Wasm } from '../runtime/wasm.js';
import { OPERATION } from './config/architecture.js';
import { readConfig } from './config/readConfig.js';
import { openWeights } from './files.js';
import { OpenModel } from './model.js';
import { namesOf } from './names.js';
import type { OpenInWorker } from '../worker/model.js';
import type { AsyncModel, OpenWorkerModelOptions } from '../worker/modelTypes.js';
import type { Model, OpenModelOptions } from './types.js';
import { placeWeights } from './weights/placeWeights.js';

const OPTIONS: Known<OpenModelOptions> = {
  config: 1,
  weights: 1,
  attention: 1,
  onProgress: 1,
  weightType: 1,
};

/**
 * Opens a checkpoint. Families by `config.model_type`: bert, roberta, distilbert, albert, gpt2, gpt_neox (Pythia), llama, mistral,
 * qwen2 and qwen3. Names of tensors are Hugging Face's, with or without the family's prefix; `gamma` and `beta` mean `weight` and
 * `bias`. A head that predicts tokens or sorts sequences gives `logits`; what it needs and the file lacks is tied to the embedding
 * where the config says so.
 *
 * With `attention` from `loadWorker` the model is opened in that worker: its calls return promises, and hooks are a TypeError.
 *
 * @throws RangeError that names the tensor or the config's field which is missing, misshapen or not supported, before any memory is
 *   taken; TypeError for arguments of the wrong kind
 * @example
 * const model = await openModel({ config: await config.json(), weights: await weights.arrayBuffer() });
 */
export async function openModel(options: OpenWorkerModelOptions): Promise<AsyncModel>;
export async function openModel(options: OpenModelOptions): Promise<Model>;
export async function openModel(
  options: OpenModelOptions | OpenWorkerModelOptions,
): Promise<Model | AsyncModel> {
  const { config, weights, attention, onProgress, weightType } = checkOptions(
    OPERATION,
    options as OpenModelOptions,
    OPTIONS,
  );
  if (onProgress != null && typeof onProgress !== 'function') {
    wrongKind(OPERATION, 'onProgress to be a function', onProgress);
  }
  const kept = checkWeightType(OPERATION, 'weightType', weightType);
  const openInWorker = (Object(attention) as OpensModels)[OPEN_MODEL];
  if (openInWorker) return openInWorker({ config, weights, ...(weightType && { weightType }) }, onProgress);
  const architecture = readConfig(config);
  const tensors = await openWeights(weights, namesOf(architecture).prefix);
  const wasm = await coreOf(attention);
  const placed = placeWeights(wasm, tensors, architecture, kept, onProgress);
  return new OpenModel(wasm, architecture, placed, tensors.unused);
}

interface OpensModels {
  readonly [OPEN_MODEL]?: OpenInWorker;
}

/** The wasm behind a loaded module. */
async function coreOf(attention: unknown): Promise<Wasm> {
  const own = attention ?? (await import('../index.js').then(({ load }) => load(), explain));
  const core = typeof own === 'object' && own !== null ? cores.get(own) : undefined;
  return core ?? wrongKind(OPERATION, "attention to be what this version's load() returns", own);
}

function explain(cause: unknown): never {
  return failed(OPERATION, "the library's file", (cause as Error).message, cause);
}
