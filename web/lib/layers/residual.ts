import type { Tensor } from '../types.js';
import type { Wasm } from '../wasm.js';

/** x + dropout(y), and the gradient at y; that at x is the output's. */
export interface Residual {
  forward(x: Tensor, y: Tensor): Tensor;
  backward(operation: string, gradOutput: Tensor): Tensor;
}

/** For (B, L, D); elements are counted through the batch. */
export function residual({ raw, memory }: Wasm, operation: string, dropout: number, seed: number): Residual {
  const drop = (
    name: string,
    { data, shape }: Tensor,
    run: (at: number, batch: number, rows: number, width: number) => void,
  ): Float32Array =>
    memory.scope(name, () => {
      const at = memory.floats(data);
      const [batch, rows, width] = shape as [number, number, number];
      if (dropout > 0) run(at, batch, rows, width);
      return memory.read(at, data.length);
    });
  return {
    forward(x, y) {
      const data = drop(operation, y, (at, batch, rows, width) =>
        raw.addPositions(at, 0, at, batch, rows, width, seed, dropout),
      );
      for (let i = 0; i < data.length; ++i) data[i]! += x.data[i]!;
      return { data, shape: y.shape };
    },
    backward: (name, gradOutput) => ({
      data: drop(name, gradOutput, (at, batch, rows, width) =>
        raw.addPositionsBackward(at, at, 0, batch, rows, width, seed, dropout),
      ),
      shape: gradOutput.shape,
    }),
  };
}
