import { checkOptions } from '../check/options.js';
import { checkMatrixType, checkWeightType } from '../check/weightType.js';
import { wrongKind } from '../check/values.js';
import { loadedModules } from '../runtime/wasm.js';
import { OPERATION } from './config/architecture.js';
import { readConfig } from './config/readConfig.js';
import { openWeights } from './files.js';
import { OpenModel } from './model.js';
import { OPEN_OPTIONS, type Model, type OpenModelOptions } from './types.js';
import { readSentence } from './sentence/modules.js';
import { placeWeights } from './weights/placeWeights.js';

/** `openModel` for a module that is already loaded. */
export async function openIn(attention: unknown, options: OpenModelOptions): Promise<Model> {
  const wasm =
    loadedModules.get(attention as object) ??
    wrongKind(OPERATION, "attention to be from this version's load()", attention);
  const { config, weights, onProgress, weightType, cacheType, sentence } = checkOptions(
    OPERATION,
    options,
    OPEN_OPTIONS,
  );
  if (onProgress != null && typeof onProgress !== 'function') {
    wrongKind(OPERATION, 'onProgress to be a function', onProgress);
  }
  const type = checkMatrixType(OPERATION, 'weightType', weightType);
  checkWeightType(OPERATION, 'cacheType', cacheType);
  const read = readConfig(config);
  const modules = await readSentence(sentence, read.hiddens);
  const tensors = await openWeights(weights, read);
  const architecture = { ...read, ...read.inFile?.((name) => tensors.shapeOf(name)) };
  const placed = placeWeights(wasm, tensors, architecture, type, onProgress ?? undefined);
  return new OpenModel(wasm, architecture, placed, tensors.unused, cacheType, modules);
}
