/** Products of queries and keys with vectors of the distances between them, which attention adds to its scores. */
import * as AttentionArgs from '../../generated/bindings/attentionArgs.js';
import { scoresStages } from '../../generated/bindings/enums.js';
import { floats, setStack, words } from '../../runtime/args.js';
import { setHeads } from '../../steps/attend.js';
import type { Architecture } from '../config/architecture.js';
import type { DistanceVectors } from '../weights/types.js';
import type { Layout } from './layout.js';
import type { ModelSteps } from './steps.js';
import type { Program, Request } from './types.js';

/** The terms of a layer; addresses, 0 for none. */
export interface Distances {
  /** Of each distance, for each head: (heads, 2·tokens − 1, width). */
  readonly keys: number;
  /** The products of keys with queries of distances: (B, heads, keys, queries). */
  readonly products: number;
}

export function distanceInputs(
  a: Architecture,
  { tokens, positions }: Request,
  layout: Layout,
): Pick<Program['inputs'], 'distances' | 'negated' | 'zeros'> {
  if (!a.relativeVectors || positions === 'none') return { distances: 0, negated: 0, zeros: 0 };
  const rows = () => layout.floats(a.heads * (2 * tokens - 1));
  return { distances: rows(), negated: rows(), zeros: layout.floats(a.headDim) };
}

export function distanceTools(
  { heads, headDim }: Architecture,
  { batch, tokens }: Request,
  inputs: Program['inputs'],
  layout: Layout,
  steps: ModelSteps,
  scale: number,
) {
  const count = heads * (2 * tokens - 1);
  const sizes = { batch, heads, kvHeads: heads, queries: tokens, keys: tokens, width: headDim };
  /** Places to be used by each layer in turn. */
  let gathered: Record<keyof DistanceVectors, number> | undefined;
  let products = 0;

  const setVectors = (address: number): void => {
    words[AttentionArgs.relativeKeys] = address;
    words[AttentionArgs.relativeKeysHead] = (2 * tokens - 1) * headDim;
    words[AttentionArgs.relativeKeysClip] = tokens - 1;
  };
  return {
    /** Appends the steps before a layer's attention. */
    ofDistances: ({ keys, queries }: DistanceVectors, key: number): Distances => {
      gathered ??= { keys: layout.floats(count * headDim), queries: layout.floats(count * headDim) };
      const gather = (ids: number, table: number, out: number): void =>
        steps.embedding({ ids, table, out, count, dim: headDim, packedRows: 0, weightType: 0 });
      if (keys) gather(inputs.distances, keys, gathered.keys);
      if (queries) {
        products ||= layout.floats(batch * heads * tokens * tokens);
        gather(inputs.negated, queries, gathered.queries);
        // Attention of the keys to nothing, whose scores are these products.
        setHeads(sizes, { query: key, output: 0, key: 0, value: 0 });
        const nothing = { batch: 0, head: 0, row: 0 };
        setStack(AttentionArgs.key, AttentionArgs.keyStrides, inputs.zeros, nothing);
        setStack(AttentionArgs.value, AttentionArgs.valueStrides, inputs.zeros, nothing);
        words[AttentionArgs.valueWidth] = 0;
        words[AttentionArgs.windowLeft] = -1;
        words[AttentionArgs.windowRight] = -1;
        floats[AttentionArgs.scale] = scale;
        setVectors(gathered.queries);
        words[AttentionArgs.scores] = products;
        words[AttentionArgs.scoresStage] = scoresStages.indexOf('masked');
        steps.attention();
      }
      return { keys: keys && gathered.keys, products: queries && products };
    },
    /** Sets attention's arguments. */
    setDistances: ({ keys, products }: Distances): void => {
      if (keys) setVectors(keys);
      if (!products) return;
      setStack(AttentionArgs.bias, AttentionArgs.biasStrides, products, {
        batch: heads * tokens * tokens,
        head: tokens * tokens,
        row: 1,
      });
      words[AttentionArgs.biasColumns] = tokens;
      words[AttentionArgs.biasStep] = tokens;
    },
  };
}
