/** Six kinds of positions. The rest of the model is the same for all of them. */
import type {
  BackwardOptions,
  ForwardOptions,
  Layer,
  RotaryOptions,
  Tensor,
  TensorLike,
  WasmAttention,
} from 'wasm-attention';
import type { Positions, TrainingSettings } from './settings.js';

/** The gradients of tables of positions from attention's backward pass. */
export interface TableGradients {
  readonly relativeKeys?: Tensor;
  readonly relativeValues?: Tensor;
}

/** Options for attention, and a consumer of their gradients. */
interface AttentionPositions {
  readonly options: { bias?: Tensor; relativeKeys?: Tensor; relativeValues?: Tensor };
  readonly backward?: (gradients: TableGradients) => void;
}

/** How positions enter the model. */
export interface PositionScheme {
  /** Layers with parameters to learn or memory to free. */
  readonly layers: readonly Pick<Layer, 'parameters' | 'dispose'>[];
  /** Positions added to the tokens, before the encoder layer. */
  readonly added?: {
    forward(
      tokens: Tensor,
      options: ForwardOptions,
    ): { output: Tensor; backward?: (gradient: TensorLike, options?: BackwardOptions) => { input: Tensor } };
  };
  /** Rotary positions, for the constructor of the encoder layer. */
  readonly rotary?: RotaryOptions;
  /** Positions in attention's scores, for each forward pass. */
  readonly inAttention?: (training: boolean, length: number) => AttentionPositions;
  /** The length of the longest sequence for which there are positions; absent if there is no limit. */
  readonly longest?: number;
}

/** Shaw's tables treat larger distances like this one. */
const CLIP = 8;

/**
 * Makes the initial values of a table small. The layers draw standard normal ones, as PyTorch does. With those, queries
 * depend most on the token itself, and in a run with Shaw's tables one token may attend to the wrong place forever.
 * With small values the model first learns where to look, which all places have in common.
 */
export function makeSmall(layer: Pick<Layer, 'parameters'>): void {
  for (const parameter of layer.parameters()) parameter.set(parameter.data.map((x) => 0.3 * x));
}

const schemes: Record<
  Positions,
  (attention: WasmAttention, settings: TrainingSettings, nextSeed: () => number) => PositionScheme
> = {
  // A token sees the others as a set without order, so the model learns neither task.
  none: () => ({ layers: [] }),

  // A fixed row of sines and cosines for each place. Rows that are k places apart differ by the same rotation
  // everywhere, which 'copy' needs.
  sinusoidal: (attention, { numHiddens, length }) => {
    const added = new attention.PositionalEncoding({ numHiddens, maxLen: length });
    return { layers: [added], added };
  },

  // A learned row for each place, which begins as noise.
  learned: (attention, { numHiddens, length }, nextSeed) => {
    const added = new attention.LearnedPositionalEncoding({ numHiddens, maxLen: length, seed: nextSeed() });
    makeSmall(added);
    return { layers: [added], added, longest: length };
  },

  // Queries and keys are rotated by their place, so a score depends on the distance between them. That solves 'copy'.
  // 'reverse' needs a different distance at every place, and the model does not know the place, except for some guesses
  // near the ends.
  rotary: () => ({ layers: [], rotary: {} }),

  // A score decreases with the distance, in both directions because this is an encoder, with a fixed slope for each
  // head. So a head can prefer near tokens but cannot select a single one. It sees a mixture of neighbours, from which
  // the model guesses part of 'copy'; 'reverse' needs distant tokens as often as near ones.
  alibi: (attention, { numHeads, length }) => {
    const biasOf = (queryLength: number) => attention.alibiBias({ numHeads, queryLength, symmetric: true });
    const bias = biasOf(length);
    return {
      layers: [],
      inAttention: (_, now) => ({ options: { bias: now === length ? bias : biasOf(now) } }),
    };
  },

  // A learned row for each distance up to CLIP is added to the keys, and another one to the values. 'copy' needs a
  // single such row; 'reverse' fails as it does with rotary positions.
  shaw: (attention, { numHiddens, numHeads }, nextSeed) => {
    const size = { numEmbeddings: 2 * CLIP + 1, dim: numHiddens / numHeads };
    // An Embedding that looks up all its rows is a table that can be trained.
    const keys = new attention.Embedding({ ...size, seed: nextSeed() });
    const values = new attention.Embedding({ ...size, seed: nextSeed() });
    makeSmall(keys);
    makeSmall(values);
    const everyRow = Array.from({ length: size.numEmbeddings }, (_, row) => row);
    return {
      layers: [keys, values],
      inAttention: (training) => {
        const [k, v] = [keys, values].map((table) => table.forward(everyRow, { training })) as [
          ReturnType<typeof keys.forward>,
          ReturnType<typeof keys.forward>,
        ];
        return {
          options: { relativeKeys: k.output, relativeValues: v.output },
          backward: ({ relativeKeys, relativeValues }) => {
            k.backward!(relativeKeys!);
            v.backward!(relativeValues!);
          },
        };
      },
    };
  },
};

/** The scheme for `settings.positions`; `nextSeed` gives the seeds of its initial values. */
export function positionScheme(
  attention: WasmAttention,
  settings: TrainingSettings,
  nextSeed: () => number,
): PositionScheme {
  return schemes[settings.positions](attention, settings, nextSeed);
}
