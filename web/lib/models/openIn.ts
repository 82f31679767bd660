import { checkOptions } from '../check/options.js';
import { checkMatrixType, checkWeightType } from '../check/weightType.js';
import { wrongKind } from '../check/values.js';
import { loadedModules } from '../runtime/wasm.js';
import { checkCalls } from './calls.js';
import { hiddenWidth, OPERATION } from './config/architecture.js';
import { readConfig } from './config/readConfig.js';
import { readArchitecture } from './gguf/architectures.js';
import { openGguf } from './gguf/metadata.js';
import { openSources, openWeights } from './files.js';
import { OpenModel } from './model.js';
import { OPEN_OPTIONS, type Model, type OpenModelOptions } from './types.js';
import { readSentence } from './sentence/modules.js';
import { placeWeights } from './weights/placeWeights.js';

/** `openModel` for a module that is already loaded. */
export async function openIn(attention: unknown, options: OpenModelOptions): Promise<Model> {
  const wasm =
    loadedModules.get(attention as object) ??
    wrongKind(OPERATION, "attention to be from this version's load()", attention);
  const given = checkOptions(OPERATION, options, OPEN_OPTIONS);
  const { config, generationConfig, weights, index, sentence, weightType, cacheType } = given;
  const { onProgress, signal } = checkCalls(given);
  const type = checkMatrixType(OPERATION, 'weightType', weightType);
  checkWeightType(OPERATION, 'cacheType', cacheType);
  signal?.throwIfAborted();
  // Nothing is read before the config is accepted.
  const known = config == null ? undefined : readConfig(config, generationConfig);
  const sources = openSources(weights, index);
  try {
    const gguf = known ? undefined : await openGguf(sources, signal);
    const read = known ?? (gguf ? await readArchitecture(gguf, generationConfig) : readConfig(config));
    const modules = await readSentence(sentence ?? gguf?.sentence, hiddenWidth(read), signal);
    const tensors = await openWeights(weights, sources, index, read, signal, gguf);
    const architecture = { ...read, ...read.inFile?.((name) => tensors.shapeOf(name)) };
    const placed = await placeWeights(wasm, tensors, architecture, type, { onProgress, signal });
    return new OpenModel(wasm, architecture, placed, tensors.unused, cacheType, modules);
  } finally {
    for (const source of sources ?? []) source.close();
  }
}
