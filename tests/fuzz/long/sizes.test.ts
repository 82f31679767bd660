/**
 * Huge sizes over little data: axes of up to 2^31 - 1 beside an empty one, widths that only a layer's options give, and
 * data that only claims a length. Each call must compute or refuse, with the bytes if memory is missing, and do no
 * harm. A call that loops over its largest size would never end.
 */
import { describe, test } from '@jest/globals';
import fc from 'fast-check';
import { expectUnharmed } from '../canary.js';
import { Draw } from '../draw.js';
import { attention } from '../watched.js';

const RUNS = Number(process.env.FUZZ_CASES ?? 2000);
/** The most elements of data that exists: a megabyte. */
const MAX_DATA = 2 ** 18;
/** The most elements of a result that is computed; larger ones are drawn only if no memory holds them. */
const MAX_RESULT = 2 ** 22;

class Sizes extends Draw {
  /** Mostly within a factor of two of a power of two; now and then an empty axis. */
  extent(least = 0, bits = 31): number {
    if (least === 0 && this.chance(0.2)) return 0;
    const power = 2 ** this.integer(0, bits);
    return Math.min(Math.max(least, power - this.integer(0, 2)), 2 ** 31 - 1);
  }

  /** Skips cases whose result, of `count` elements, would take long to compute. */
  quick(count: number): void {
    fc.pre(count <= MAX_RESULT || count >= 2 ** 30);
  }

  /** A small tensor of zeros; otherwise an object that claims as many elements as the shape. */
  zeros(...shape: number[]): { data: Float32Array; shape: number[] } {
    const count = shape.reduce((product, axis) => product * axis, 1);
    const data = count <= MAX_DATA ? new Float32Array(count) : { length: count };
    return { data: data as Float32Array, shape };
  }
}

type Drawing = (draw: Sizes) => () => unknown;

const FUNCTIONS: Record<string, Drawing> = {
  maskedSoftmax: (d) => {
    const [rows, cols] = [d.extent(), d.extent()];
    return () => attention.maskedSoftmax(d.zeros(1, rows, cols), d.chance(0.5) ? [3] : undefined);
  },
  scaledDotProductAttention: (d) => {
    const [B, L, S, E, Ev] = [d.extent(0, 3), d.extent(), d.extent(), d.extent(), d.extent()];
    const options = {
      needWeights: d.chance(0.3),
      ...(B === 1 && L === S && d.chance(0.3) && { cuSeqlens: [0, L] }),
      relativeKeys: d.maybe(() => d.zeros(2 * d.extent(0, 29) + 1, E), 0.2),
      pastKey: d.zeros(B, d.extent(), E),
      pastValue: d.zeros(B, 0, Ev),
    };
    if (d.chance(0.7)) Object.assign(options, { pastKey: undefined, pastValue: undefined });
    const call = [d.zeros(B, L, E), d.zeros(B, S, E), d.zeros(B, S, Ev)] as const;
    return d.chance(0.5)
      ? () => attention.scaledDotProductAttention(...call, options)
      : () => attention.scaledDotProductAttentionBackward(d.zeros(B, L, Ev), ...call, options);
  },
  additiveAttention: (d) => {
    const [B, L, S, D] = [d.extent(0, 3), d.extent(), d.extent(), d.extent(1)];
    const [Dq, Dk, Dv] = [d.extent(), d.extent(), d.extent()];
    const weights = { Wq: d.zeros(D, Dq), Wk: d.zeros(D, Dk), wv: d.zeros(1, D) };
    const call = [d.zeros(B, L, Dq), d.zeros(B, S, Dk), d.zeros(B, S, Dv), weights] as const;
    return d.chance(0.5)
      ? () => attention.additiveAttention(...call)
      : () => attention.additiveAttentionBackward(d.zeros(B, L, Dv), ...call);
  },
  sinusoidalEncoding: (d) => {
    const [length, dim] = [d.extent(), d.extent(1, 24)];
    d.quick(length * dim);
    return () => attention.sinusoidalEncoding({ length, dim });
  },
  sinusoidalEncoding2d: (d) => {
    const [height, width, dim] = [d.extent(), d.extent(), 4 * d.extent(1, 22)];
    d.quick(height * width * dim);
    // Its rows and columns are computed first.
    d.quick(Math.max(height, width) * dim);
    return () => attention.sinusoidalEncoding2d({ height, width, dim });
  },
  rotaryEmbedding: (d) => () => attention.rotaryEmbedding(d.zeros(d.extent(0, 4), d.extent(), d.extent(2))),
  alibiBias: (d) => {
    const [numHeads, queryLength, keyLength] = [d.extent(1, 24), d.extent(0, 30), d.extent(0, 30)];
    d.quick(numHeads * queryLength * keyLength);
    return () => attention.alibiBias({ numHeads, queryLength, keyLength });
  },
  t5RelativeBuckets: (d) => {
    const [queryLength, keyLength] = [d.extent(0, 30), d.extent(0, 30)];
    d.quick(queryLength * keyLength);
    return () => attention.t5RelativeBuckets({ queryLength, keyLength });
  },
  t5RelativeBias: (d) => {
    const sizes = { queryLength: d.extent(0, 30), keyLength: d.extent(0, 30) };
    const [heads, buckets] = [d.extent(), 32];
    d.quick(heads * sizes.queryLength * sizes.keyLength);
    return d.chance(0.5)
      ? () => attention.t5RelativeBias(d.zeros(buckets, heads), sizes)
      : () => attention.t5RelativeBiasBackward(d.zeros(heads, sizes.queryLength, sizes.keyLength), sizes);
  },
  relativeShift: (d) => {
    const length = d.extent();
    return d.chance(0.5)
      ? () => attention.relativeShift(d.zeros(d.extent(), length, length))
      : () => attention.relativeShiftBackward(d.zeros(d.extent(), length, length), { columns: 2 * length - 1 });
  },
  conv1d: (d) => {
    const [batch, channels, length] = [d.extent(0, 4), d.extent(), d.extent()];
    const options = { padding: d.extent(), stride: d.extent(1), dilation: d.extent(1) };
    return () =>
      attention.conv1d(d.zeros(batch, channels, length), d.zeros(d.extent(), channels, d.extent(1)), options);
  },
  matmul: (d) => {
    const [rows, depth, cols] = [d.extent(), d.extent(), d.extent()];
    d.quick(rows * cols);
    return () => attention.matmul(d.zeros(d.extent(0, 4), rows, depth), d.zeros(depth, cols));
  },
  gelu: (d) => () => attention.gelu(d.zeros(d.extent(), d.extent(0, 4))),
  silu: (d) => () => attention.silu(d.zeros(d.extent(), d.extent(0, 4))),
  rnn: (d) => {
    const [width, inputs] = [d.extent(), d.extent()];
    const weights = { weightIh: d.zeros(width, inputs), weightHh: d.zeros(width, width) };
    const [batch, length] = [d.extent(), d.extent()];
    d.quick(batch * length * width);
    return () => attention.rnn(d.zeros(batch, length, inputs), weights);
  },
  softmaxCrossEntropy: (d) => {
    const rows = d.extent();
    return () => attention.softmaxCrossEntropy(d.zeros(rows, d.extent()), d.zeros(rows).data);
  },
};

/** Layers are small enough to be made; their inputs are not. */
const LAYERS: Record<string, Drawing> = {
  Linear: (d) => {
    const [inFeatures, outFeatures, rows] = [d.extent(1, 4), d.extent(1, 16), d.extent(0, 18)];
    d.quick(rows * outFeatures);
    const layer = new attention.Linear({ inFeatures, outFeatures });
    return used(layer, () => layer.forward(d.zeros(rows, inFeatures), { training: d.chance(0.5) }));
  },
  FeedForward: (d) => {
    const [ffnHiddens, rows] = [d.extent(1, 16), d.extent(0, 18)];
    d.quick(rows * ffnHiddens);
    const layer = new attention.FeedForward({ numHiddens: 1, ffnHiddens });
    return used(layer, () => layer.forward(d.zeros(rows, 1), { training: d.chance(0.5) }));
  },
  LayerNorm: (d) => {
    const width = d.extent(1, 16);
    const layer = new attention.LayerNorm({ normalizedShape: width });
    return used(layer, () => layer.forward(d.zeros(d.extent(), width), { training: d.chance(0.5) }));
  },
  Embedding: (d) => {
    const [dim, count] = [d.extent(1, 16), d.extent(0, 18)];
    d.quick(count * dim);
    const layer = new attention.Embedding({ numEmbeddings: 1, dim });
    return used(layer, () => layer.forward(d.zeros(count), { training: d.chance(0.5) }));
  },
  MultiHeadAttention: (d) => {
    const [numHiddens, L, S] = [d.extent(1, 9), d.extent(0, 15), d.extent(0, 18)];
    d.quick(L * S);
    d.quick(Math.max(L, S) * numHiddens);
    const sizes = { querySize: 1, keySize: 1, valueSize: 1 };
    const layer = new attention.MultiHeadAttention({ numHiddens, numHeads: 1, ...sizes });
    const [x, y] = [d.zeros(1, L, 1), d.zeros(1, S, 1)];
    return used(layer, () => layer.forward(x, y, y, { training: d.chance(0.5), needWeights: L * S > MAX_RESULT }));
  },
  'MultiHeadAttention.createCache': (d) => {
    const [numHiddens, batch, maxLength] = [d.extent(1, 8), d.extent(1, 24), d.extent(1, 30)];
    d.quick(2 * numHiddens * batch * maxLength);
    const layer = new attention.MultiHeadAttention({ numHiddens, numHeads: 1 });
    return used(layer, () => layer.createCache({ batch, maxLength }).dispose());
  },
  TransformerEncoderLayer: (d) => {
    const [numHiddens, ffnHiddens, rows] = [2 ** d.integer(0, 4), d.extent(1, 16), d.extent(0, 14)];
    d.quick(rows * ffnHiddens);
    const layer = new attention.TransformerEncoderLayer({ numHiddens, numHeads: 1, ffnHiddens });
    const x = d.zeros(rows, 1, numHiddens);
    return used(layer, () => layer.forward(x, { training: d.chance(0.7) }));
  },
  TransformerDecoderLayer: (d) => {
    const [numHiddens, L, S] = [2 ** d.integer(0, 4), d.extent(0, 14), d.extent(0, 14)];
    d.quick(L * (L + S));
    d.quick(Math.max(L, S) * numHiddens);
    const layer = new attention.TransformerDecoderLayer({ numHiddens, numHeads: 1, ffnHiddens: 1 });
    const [x, memory] = [d.zeros(1, L, numHiddens), d.zeros(1, S, numHiddens)];
    return used(layer, () => layer.forward(x, memory, { training: d.chance(0.7) }));
  },
  PositionalEncoding: (d) => {
    const [numHiddens, maxLen] = [d.extent(1, 24), d.extent()];
    d.quick(numHiddens * maxLen);
    return () => new attention.PositionalEncoding({ numHiddens, maxLen }).dispose();
  },
  GatedFeedForward: (d) => {
    const [ffnHiddens, rows, training] = [d.extent(1, 16), d.extent(0, 18), d.chance(0.5)];
    // Only training keeps the hidden units: without it no size is refused for its memory.
    if (training) d.quick(2 * rows * ffnHiddens);
    else fc.pre(rows * ffnHiddens <= MAX_RESULT);
    const layer = new attention.GatedFeedForward({ numHiddens: 1, ffnHiddens });
    return used(layer, () => layer.forward(d.zeros(rows, 1), { training }));
  },
  'the parameters of a layer': (d) => {
    const [width, hidden] = [d.extent(1, 24), d.extent(1, 24)];
    d.quick(width * hidden);
    d.quick(width * width);
    const { Linear, Embedding, LayerNorm, MultiHeadAttention, TransformerEncoderLayer } = attention;
    const make = d.pick([
      () => new Linear({ inFeatures: width, outFeatures: hidden }),
      () => new Embedding({ numEmbeddings: hidden, dim: width }),
      () => new LayerNorm({ normalizedShape: [width, hidden] }),
      () => new MultiHeadAttention({ numHiddens: width, numHeads: 1, keySize: hidden }),
      () => new TransformerEncoderLayer({ numHiddens: width, numHeads: 1, ffnHiddens: hidden }),
    ]);
    return () => make().dispose();
  },
};

function used(layer: { dispose(): void }, call: () => unknown): () => unknown {
  return () => {
    try {
      return call();
    } finally {
      layer.dispose();
    }
  };
}

function run(drawing: Drawing, seed: number): void {
  const call = drawing(new Sizes(seed, 1));
  let thrown: Error | undefined;
  try {
    call();
  } catch (error) {
    thrown = error as Error;
  }
  if (thrown && !/^[\w.]+: expected .+, got /.test(thrown.message)) throw thrown;
  expectUnharmed();
}

describe('huge sizes', () => {
  test.each(Object.entries({ ...FUNCTIONS, ...LAYERS }))(
    'in %s are computed or refused',
    (_name, drawing) => {
      const seeds = fc.noBias(fc.integer({ min: 0, max: 2 ** 31 - 1 }));
      fc.assert(
        fc.property(seeds, (seed) => run(drawing, seed)),
        { numRuns: Math.ceil(RUNS / 20) },
      );
    },
    3_600_000,
  );
});
