import type { WasmAttention } from 'wasm-attention';

/** The batch, tokens and width of the input, and the number of heads. */
export interface Sizes {
  readonly batch: number;
  readonly tokens: number;
  readonly width: number;
  readonly heads: number;
}

/** The stages of multi-head attention with their own shapes. */
export const STAGES = ['input', 'projected', 'split', 'weights', 'mixed', 'output'] as const;
export type Stage = (typeof STAGES)[number];

/** The library's result for these sizes: the shapes that it returns, or the error that it throws. */
export interface Pipeline {
  /** The shapes of the stages that were reached: all if there is no error. */
  readonly shapes: Readonly<Partial<Record<Stage, readonly number[]>>>;
  readonly error: string | undefined;
}

/**
 * Runs a `MultiHeadAttention` layer of these sizes. Input, weights and output have the shapes of the library's arrays;
 * those in between follow the textbook, which moves the heads into the batch: (batch·heads, tokens, width / heads).
 */
export function pipelineOf(library: WasmAttention, { batch, tokens, width, heads }: Sizes): Pipeline {
  const input = [batch, tokens, width];
  let layer: InstanceType<WasmAttention['MultiHeadAttention']> | undefined;
  try {
    layer = new library.MultiHeadAttention({ numHiddens: width, numHeads: heads, seed: 1 });
    const X = { data: new Float32Array(batch * tokens * width).fill(1), shape: input };
    const { output, weights } = layer.forward(X, X, X, { needWeights: true });
    const split = [batch * heads, tokens, width / heads];
    const shapes = {
      input,
      projected: input,
      split,
      weights: weights?.shape ?? [],
      mixed: split,
      output: output.shape,
    };
    return { shapes, error: undefined };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { shapes: { input, projected: input }, error: `${error.name}: ${error.message}` };
  } finally {
    layer?.dispose();
  }
}

/** `(2, 4, 100)` */
export function shapeOf(shape: readonly number[]): string {
  return `(${shape.join(', ')})`;
}
