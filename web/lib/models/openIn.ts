import { checkOptions } from '../check/options.js';
import { checkMatrixType, checkWeightType } from '../check/weightType.js';
import { wrongKind, wrongUse, wrongValue } from '../check/values.js';
import { loadedModules } from '../runtime/wasm.js';
import { checkCalls } from './calls.js';
import { hiddenWidth, OPERATION, type Part } from './config/architecture.js';
import { readConfig } from './config/readConfig.js';
import { readArchitecture } from './gguf/architectures.js';
import { openGguf } from './gguf/metadata.js';
import { openSources, openWeights } from './files.js';
import { OpenModel } from './model.js';
import { Passes } from './pass/passes.js';
import { OPEN_OPTIONS, type Model, type OpenModelOptions, type VisionModel } from './types.js';
import { OpenVisionModel } from './visionModel.js';
import { readSentence } from './sentence/modules.js';
import { placeWeights } from './weights/placeWeights.js';

/** `openModel` for a module that is already loaded. */
export async function openIn(attention: unknown, options: OpenModelOptions): Promise<Model | VisionModel> {
  const wasm =
    loadedModules.get(attention as object) ??
    wrongKind(OPERATION, "attention to be from this version's load()", attention);
  const given = checkOptions(OPERATION, options, OPEN_OPTIONS);
  const { config, generationConfig, weights, index, sentence, part, weightType, cacheType } = given;
  const { onProgress, signal } = checkCalls(given);
  const type = checkMatrixType(OPERATION, 'weightType', weightType);
  checkWeightType(OPERATION, 'cacheType', cacheType);
  signal?.throwIfAborted();
  // Nothing is read before the config is accepted.
  const asked = checkPart(part);
  const known = config == null ? undefined : readConfig(config, generationConfig, asked);
  const sources = openSources(weights, index);
  try {
    const gguf = known ? undefined : await openGguf(sources, signal);
    const read = known ?? (gguf ? await readArchitecture(gguf, generationConfig, asked) : readConfig(config));
    if (read.pictures && sentence != null) wrongUse(OPERATION, `no sentence for ${read.family}`, 'one');
    const modules = await readSentence(sentence ?? gguf?.sentence, hiddenWidth(read), signal);
    const tensors = await openWeights(weights, sources, index, read, signal, gguf);
    const architecture = { ...read, ...read.inFile?.((name) => tensors.shapeOf(name)) };
    const placed = await placeWeights(wasm, tensors, architecture, type, { onProgress, signal });
    const passes = new Passes(wasm, architecture, placed);
    return architecture.pictures
      ? new OpenVisionModel(passes, tensors.unused)
      : new OpenModel(passes, tensors.unused, cacheType, modules);
  } finally {
    for (const source of sources ?? []) source.close();
  }
}

function checkPart(part: unknown): Part | undefined {
  if (part == null) return undefined;
  const expected = "part to be 'vision' or 'text'";
  if (typeof part !== 'string') wrongKind(OPERATION, expected, part);
  return part === 'vision' || part === 'text' ? part : wrongValue(OPERATION, expected, `'${part}'`);
}
