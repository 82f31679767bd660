/** Reads what a folder of sentence-transformers lists in its modules.json. */
import { checkOptions } from '../../check/options.js';
import { checkShape, tagOf, wrongKind, wrongValue } from '../../check/values.js';
import { isFloats, openSafetensors, readFloats } from '../../safetensors/file.js';
import { OPERATION } from '../config/architecture.js';
import { Fields } from '../config/fields.js';
import type { SentenceModules } from '../checkpoint/types.js';
import type { Pooling } from '../types.js';
import { bytesOf, isWeightFile } from '../weights/source.js';

export interface Sentence {
  /** Vectors one after another. */
  readonly pooling: readonly Pooling[];
  readonly dense: readonly Dense[];
  readonly normalize: boolean;
}

/** A linear map and a function of its results. */
export interface Dense {
  readonly inputs: number;
  readonly outputs: number;
  /** (outputs, inputs) */
  readonly weight: Float32Array;
  readonly bias: Float32Array | undefined;
  readonly activation: (x: number) => number;
}

/** The old flags, in the order in which their vectors follow each other. */
const FLAGS: Readonly<Record<string, Pooling>> = {
  pooling_mode_cls_token: 'cls',
  pooling_mode_max_tokens: 'max',
  pooling_mode_mean_tokens: 'mean',
  pooling_mode_mean_sqrt_len_tokens: 'mean_sqrt_len',
  pooling_mode_weightedmean_tokens: 'weighted_mean',
  pooling_mode_lasttoken: 'last',
};

const MODES: Readonly<Record<string, Pooling>> = {
  cls: 'cls',
  max: 'max',
  mean: 'mean',
  mean_sqrt_len: 'mean_sqrt_len',
  mean_sqrt_len_tokens: 'mean_sqrt_len',
  weightedmean: 'weighted_mean',
  lasttoken: 'last',
};

const ACTIVATIONS: Readonly<Record<string, Dense['activation']>> = { Tanh: Math.tanh, Identity: (x) => x };

/**
 * @param hiddens the width of the last hidden states
 * @throws RangeError or TypeError that names the module's field
 */
export async function readSentence(
  given: SentenceModules | undefined,
  hiddens: number,
  signal?: AbortSignal,
): Promise<Sentence> {
  const known = { pooling: 1, normalize: 1, dense: 1 } as const;
  const { pooling, normalize = false, dense = [] } = checkOptions(`${OPERATION}: sentence`, given, known);
  if (typeof normalize !== 'boolean') wrongKind(OPERATION, 'sentence.normalize to be a boolean', normalize);
  if (!Array.isArray(dense)) wrongKind(OPERATION, 'sentence.dense to be a list', dense);
  const modes = pooling == null ? (['mean'] as const) : poolingOf(fieldsOf('sentence.pooling', pooling), hiddens);
  const layers: Dense[] = [];
  let width = modes.length * hiddens;
  for (const [i, each] of dense.entries()) {
    const layer = await denseOf(`sentence.dense[${i}]`, each, width, signal);
    layers.push(layer);
    width = layer.outputs;
  }
  return { pooling: modes, dense: layers, normalize };
}

function fieldsOf(name: string, value: unknown): Fields {
  if (tagOf(value) !== 'Object') wrongKind(OPERATION, `${name} to be an object`, value);
  return new Fields(value as Record<string, unknown>, `${name}.`);
}

function poolingOf(fields: Fields, hiddens: number): readonly Pooling[] {
  for (const width of ['word_embedding_dimension', 'embedding_dimension']) fields.onlyIfGiven(width, hiddens);
  fields.only('include_prompt', true);
  const given = fields.get('pooling_mode');
  if (given !== undefined) {
    const list: readonly unknown[] = Array.isArray(given) ? given : [given];
    if (list.length === 0) fields.wrong('pooling_mode', 'of at least one mode', given);
    return list.map((mode) => {
      const name = typeof mode === 'string' ? mode.toLowerCase() : '';
      if (!Object.hasOwn(MODES, name)) fields.wrong('pooling_mode', `of ${Object.keys(MODES).join(', ')}`, mode);
      return MODES[name]!;
    });
  }
  const modes = Object.keys(FLAGS).filter((flag) => fields.flag(flag, FLAGS[flag] === 'mean'));
  if (modes.length === 0) fields.wrong('pooling_mode', 'to be given, or one of its flags', 'none');
  return modes.map((flag) => FLAGS[flag]!);
}

async function denseOf(name: string, given: unknown, width: number, signal: AbortSignal | undefined): Promise<Dense> {
  if (tagOf(given) !== 'Object') wrongKind(OPERATION, `${name} to be an object`, given);
  const { config, weights } = given as { config?: unknown; weights?: unknown };
  const fields = fieldsOf(`${name}.config`, config);
  const inputs = fields.size('in_features');
  fields.only('in_features', width);
  const outputs = fields.size('out_features');
  for (const key of ['module_input_name', 'module_output_name']) {
    if (fields.get(key) !== undefined) fields.only(key, 'sentence_embedding');
  }
  const hasBias = fields.flag('bias', true);
  const whole = fields.get('activation_function') ?? 'Tanh';
  const last = typeof whole === 'string' ? whole.split('.').at(-1)! : '';
  if (!Object.hasOwn(ACTIVATIONS, last)) {
    fields.wrong('activation_function', `to end in one of ${Object.keys(ACTIVATIONS).join(', ')}`, whole);
  }
  if (!isWeightFile(weights)) wrongKind(OPERATION, `${name}.weights to be a file`, weights);
  const tensors = openSafetensors(`${OPERATION}: ${name}.weights`, await bytesOf(weights, signal));
  const read = (tensor: string, shape: readonly number[]): Float32Array => {
    const found = tensors.find((each) => each.name === tensor);
    const what = `${name}.weights`;
    if (!found) return wrongValue(OPERATION, `a tensor '${tensor}' in ${what}`, 'none');
    checkShape(OPERATION, `'${tensor}' in ${what}`, found.shape, shape);
    if (!isFloats(found)) wrongValue(OPERATION, `'${tensor}' in ${what} to be F32, F16 or BF16`, found.dtype);
    // A copy, so as to keep nothing of the file.
    return readFloats(found).slice();
  };
  return {
    inputs,
    outputs,
    weight: read('linear.weight', [outputs, inputs]),
    bias: hasBias ? read('linear.bias', [outputs]) : undefined,
    activation: ACTIVATIONS[last]!,
  };
}
