import { wrongValue } from '../../check/values.js';
import { hiddenWidth, OPERATION, type Architecture, type Head, type Task } from '../config/architecture.js';
import { unnamedLabels } from '../config/fields.js';
import type { Tensors } from '../files.js';
import { normOf } from './norm.js';
import { columnsOf, part, partOf } from './parts.js';
import type { Store } from './store.js';
import type { HeadWeights } from './types.js';

/** The head that the config names, if the file has it; of a config that names none, the first that the file has. */
export function head(store: Store, tensors: Tensors, a: Architecture): HeadWeights | undefined {
  const has = (module: string | undefined): boolean => tensors.has(`${module}.weight`);
  const entries = Object.entries(a.tasks) as [Task, Head][];
  const found = entries.filter(([task, { reads, map, decoder }]) => {
    const hasDecoder = has(decoder) || (a.tied && predicts(task));
    return hasDecoder && (map === undefined || has(map)) && (reads !== 'pooled' || has(a.names.pooler));
  });
  const wanted = entries.find(([task]) => a.className.endsWith(`For${task}`));
  // Of a part, what it lacks is refused below.
  const hasPart = ({ map, norm, decoder, also }: Head) => [map, norm, decoder, also?.decoder].some(has);
  const chosen = wanted ? (found.includes(wanted) || hasPart(wanted[1]) ? wanted : undefined) : found[0];
  if (!chosen) return undefined;
  const [task, given] = chosen;
  if (given.reads === 'pooled') tensors.check(`${a.names.pooler}.weight`, [a.hiddens, a.hiddens]);
  const { reads, map, mapBias, activation, norm, decoder, also, scale, softcap } = given;
  const predictsTokens = predicts(task);
  const width = predictsTokens ? a.embedding : hiddenWidth(a);
  const matrix = `${decoder}.weight`;
  const embedding = `${a.names.tokens}.weight`;
  // A copy of the embedding is not placed.
  const isTied = predictsTokens && (has(decoder) ? tensors.mayBeEqual(matrix, embedding, [a.vocab, width]) : a.tied);
  const isClassifier = task.includes('Classification');
  const labels = isClassifier ? (a.labels ?? unnamedLabels(classes(tensors, matrix))) : undefined;
  const outputs = given.outputs ?? labels?.length ?? a.vocab;
  const ownBias = `${decoder}.bias`;
  const shares = also !== undefined && also.decoder === undefined;
  const { bias: named = ownBias, optionalBias } = given;
  const bias =
    named === false
      ? undefined
      : ([named, ownBias].find((name) => tensors.has(name)) ?? (optionalBias ? undefined : named));
  const weights = {
    map: map === undefined ? undefined : store.linear(map, a.hiddens, width, mapBias),
    norm: normOf(store, a, norm, width),
    decoder: store.matrix(
      width,
      [partOf(isTied ? a.names.tokens! : shares ? columnsOf(decoder, 0, 2) : decoder, 'weight', outputs, width)],
      bias === undefined ? undefined : [part(bias, [outputs])],
    ),
    also: also && {
      reads: also.reads,
      decoder: store.linear(also.decoder ?? columnsOf(decoder, 1, 2), width, outputs, !shares),
    },
  };
  // Some files have this bias under both names.
  if (bias !== undefined && tensors.has(ownBias)) tensors.check(ownBias, [outputs]);
  const isScalar = given.outputs === 1;
  return {
    ...weights,
    reads,
    activation,
    scale,
    softcap,
    predictsTokens,
    isTied,
    isScalar,
    labels: labels && Object.freeze(labels),
  };
}

function predicts(task: Task): boolean {
  return task.endsWith('LM');
}

/** The number of classes in a file, if the config does not have it; transformers' default where the file has none. */
function classes(tensors: Tensors, name: string): number {
  const [count = 0] = tensors.shapeOf(name) ?? [2];
  if (count < 1) wrongValue(OPERATION, `'${name}' of at least one class`, count);
  return count;
}
