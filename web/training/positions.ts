/** Six ways to tell the model about order. All else in the model is the same. */
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

/** The gradients that attention's backward pass has for tables of positions. */
export interface TableGradients {
  readonly relativeKeys?: Tensor;
  readonly relativeValues?: Tensor;
}

/** What attention is told, and what to do with the gradients that come back. */
interface Told {
  readonly options: { bias?: Tensor; relativeKeys?: Tensor; relativeValues?: Tensor };
  readonly backward?: (gradients: TableGradients) => void;
}

/** Where in the model positions come in; what is absent stays as it is without positions. */
export interface PositionScheme {
  /** What there is to learn, or to give back at the end. */
  readonly layers: readonly Pick<Layer, 'parameters' | 'dispose'>[];
  /** Positions added to the tokens, before the encoder layer. */
  readonly added?: {
    forward(
      tokens: Tensor,
      options: ForwardOptions,
    ): { output: Tensor; backward?: (gradient: TensorLike, options?: BackwardOptions) => { input: Tensor } };
  };
  /** Positions that turn queries and keys: told to the encoder layer when it is made. */
  readonly rotary?: RotaryOptions;
  /** Positions in attention's scores: told to each forward pass. */
  readonly tell?: (training: boolean, length: number) => Told;
  /** The longest sequence there are positions for; absent where there is none. */
  readonly longest?: number;
  /** What there is to see: see `Snapshot`. */
  readonly table?: () => Tensor;
}

/** Greater distances than this count as this in Shaw's tables. */
const CLIP = 8;

/**
 * Makes the first values of a table small: the layers draw standard normal ones, as PyTorch does. With those the loudest
 * thing that a query says is which token it stands at, and a run with Shaw's tables can end with one token that looks the
 * wrong way for ever. With small ones, what all places have in common is learned first: where to look.
 */
export function makeSmall(layer: Pick<Layer, 'parameters'>): void {
  for (const parameter of layer.parameters()) parameter.set(parameter.data.map((x) => 0.3 * x));
}

const schemes: Record<
  Positions,
  (attention: WasmAttention, settings: TrainingSettings, nextSeed: () => number) => PositionScheme
> = {
  // A token sees the others as a set. It learns neither task: nothing tells it one of the others from the next.
  none: () => ({ layers: [] }),

  // A row of sines and cosines for each place: nothing to learn but how to read it. Rows k places apart differ by one
  // rotation, the same everywhere, and that is what 'copy' needs.
  sinusoidal: (attention, { numHiddens, length }) => {
    const added = new attention.PositionalEncoding({ numHiddens, maxLen: length });
    return { layers: [added], added, table: () => added.P };
  },

  // A row for each place as well, but any row: it begins as noise.
  learned: (attention, { numHiddens, length }, nextSeed) => {
    const added = new attention.LearnedPositionalEncoding({ numHiddens, maxLen: length, seed: nextSeed() });
    makeSmall(added);
    return { layers: [added], added, longest: length, table: () => added.stateDict().weight! };
  },

  // Queries and keys are turned by their place, so that a score depends on how far apart they are. That solves 'copy'. In
  // 'reverse' every place looks another distance away, and none knows which place it is, but for what little is to be
  // guessed near the ends.
  rotary: () => ({ layers: [], rotary: {} }),

  // The further away, the lower the score, by a slope of its own for each head; both ways alike, since this is an encoder.
  // The slopes are fixed: a head can look near or far, but at no one place. What it sees is a blend of the neighbours, out
  // of which 'copy' can be guessed in part, while 'reverse' asks for what is far away as often as for what is near.
  alibi: (attention, { numHeads, length }) => {
    const biasOf = (queryLength: number) => attention.alibiBias({ numHeads, queryLength, symmetric: true });
    const bias = biasOf(length);
    return {
      layers: [],
      tell: (_, now) => ({ options: { bias: now === length ? bias : biasOf(now) } }),
      table: () => bias,
    };
  },

  // A learned row for each distance up to CLIP, added to the keys as a query sees them, and another added to the values.
  // 'copy' is one row of it; about 'reverse' it knows as little as rotary positions do.
  shaw: (attention, { numHiddens, numHeads }, nextSeed) => {
    const size = { numEmbeddings: 2 * CLIP + 1, dim: numHiddens / numHeads };
    // A layer that looks up all its rows is a table that can be trained: `forward` gives it, `backward` takes its gradient.
    const keys = new attention.Embedding({ ...size, seed: nextSeed() });
    const values = new attention.Embedding({ ...size, seed: nextSeed() });
    makeSmall(keys);
    makeSmall(values);
    const everyRow = Array.from({ length: size.numEmbeddings }, (_, row) => row);
    return {
      layers: [keys, values],
      tell: (training) => {
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
      table: () => keys.stateDict().weight!,
    };
  },
};

/** The scheme of `settings.positions`; what it learns begins as `nextSeed` says. */
export function positionScheme(
  attention: WasmAttention,
  settings: TrainingSettings,
  nextSeed: () => number,
): PositionScheme {
  return schemes[settings.positions](attention, settings, nextSeed);
}
