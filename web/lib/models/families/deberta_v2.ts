import type { Architecture, DistanceTable } from '../config/architecture.js';
import { vectorActivationOf, type Fields } from '../config/fields.js';
import { bert } from './bert.js';

/** BERT with attention that also multiplies queries and keys with vectors of distances. */
export function debertaV2(fields: Fields): Architecture {
  const all = bert(fields, { eps: 1e-7, types: 0 });
  for (const [field, size] of [
    ['embedding_size', all.hiddens],
    ['pooler_hidden_size', all.hiddens],
    ['attention_head_size', all.headDim],
    ['conv_kernel_size', 0],
  ] as const) {
    fields.onlyIfGiven(field, size);
  }
  // Products with keys of distances, and with queries of distances.
  const kinds = wordsOf(fields, 'pos_att_type', ['c2p', 'p2c'], null);
  const isRelative = fields.flag('relative_attention', false);
  const [usesKeys, usesQueries] = ['c2p', 'p2c'].map((kind) => isRelative && kinds.has(kind));
  const usesVectors = isRelative && kinds.size > 0;
  const isNormed = wordsOf(fields, 'norm_rel_ebd', ['none', 'layer_norm'], 'none').has('layer_norm');
  const sharesMaps = fields.flag('share_att_key', false);
  const hasPositions = fields.flag('position_biased_input', true);
  const kept = fields.flag('legacy', true);
  const poolerActivation = vectorActivationOf(fields, 'pooler_hidden_act', 'gelu');
  const { positions, ...names } = all.names;
  const prediction = (module: string) => ({
    reads: 'each' as const,
    map: `${module}.dense`,
    activation: all.activation,
    norm: `${module}.LayerNorm`,
  });
  const old = { ...all.tasks.MaskedLM!, ...prediction('cls.predictions.transform') };
  const head = 'lm_predictions.lm_head';
  const own = { ...prediction(head), decoder: `${head}.decoder`, bias: `${head}.bias` };
  const { positions: table, ...rest } = all;
  return {
    ...rest,
    ...(hasPositions && { positions: table }),
    positionKind: isRelative ? 'relative' : hasPositions ? 'learned' : 'none',
    scale: 1 / Math.sqrt(all.headDim * (1 + kinds.size)),
    ...(usesVectors && { relativeVectors: distancesOf(fields, all.maxLength) }),
    poolerActivation,
    names: {
      ...names,
      ...(hasPositions && { positions }),
      prefix: 'deberta.',
      relativeVectors: 'encoder.rel_embeddings',
      ...(usesVectors && isNormed && { relativeNorm: 'encoder.LayerNorm' }),
      layer: (i) => {
        const at = `encoder.layer.${i}.attention.self`;
        const [query, key] = [`${at}.query_proj`, `${at}.key_proj`];
        return {
          ...names.layer(i),
          query,
          key,
          value: `${at}.value_proj`,
          ...(usesKeys && { relativeKey: sharesMaps ? key : `${at}.pos_key_proj` }),
          ...(usesQueries && { relativeQuery: sharesMaps ? query : `${at}.pos_query_proj` }),
        };
      },
    },
    tasks: { ...all.tasks, MaskedLM: old },
    // Files of the first code have its head, whatever the config says.
    inFile: (shapeOf) => {
      const [hasOld, hasOwn] = [old, own].map(({ map }) => shapeOf(`${map}.weight`) !== undefined);
      return hasOwn && !(hasOld && kept) ? { tied: true, tasks: { ...all.tasks, MaskedLM: own } } : {};
    },
  };
}

/** Words that | separates, or a list. */
function wordsOf(
  fields: Fields,
  field: string,
  allowed: readonly string[],
  otherwise: string | null,
): ReadonlySet<unknown> {
  const given = fields.has(field) ? (fields.get(field) ?? null) : otherwise;
  const words: unknown = typeof given === 'string' ? given.toLowerCase().split('|') : given;
  const list = (Array.isArray(words) ? (words as unknown[]) : []).map((word) =>
    typeof word === 'string' ? word.trim() : word,
  );
  const isRight = list.every((word) => word === '' || allowed.includes(word as string));
  if (!isRight || !(Array.isArray(words) || given === otherwise))
    fields.wrong(field, `of ${allowed.join(', ')}`, given);
  return new Set(list.filter(Boolean));
}

/** A number that stands for none if it is not above 0. */
function countOf(fields: Fields, field: string): number {
  const count = fields.has(field) ? fields.get(field) : -1;
  return Number.isInteger(count) && (count as number) < 1 ? 0 : fields.size(field);
}

/** One row for each distance between tokens; with buckets, large distances share them. */
function distancesOf(fields: Fields, maxLength: number): DistanceTable {
  const most = countOf(fields, 'max_relative_positions') || maxLength;
  const buckets = countOf(fields, 'position_buckets');
  const span = buckets || most;
  const middle = Math.floor(buckets / 2);
  const isPossible = buckets === 0 || (middle >= 1 && most - 1 > middle);
  if (!isPossible) fields.wrong('position_buckets', `within [2, ${2 * (most - 2) + 1}]`, buckets);
  const place = (distance: number): number => {
    const n = Math.abs(distance);
    if (buckets === 0 || n <= middle) return distance;
    const share = Math.log(n / middle) / Math.log((most - 1) / middle);
    return Math.sign(distance) * (Math.ceil(share * (middle - 1)) + middle);
  };
  return { rows: 2 * span, rowOf: (distance) => Math.max(0, Math.min(2 * span - 1, span + place(-distance))) };
}
