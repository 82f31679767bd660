import { wrongUse } from '../../check/values.js';
import { nameOf } from '../../check/weightType.js';
import { fresh } from '../../runtime/memory.js';
import { packRows, scaleColumns, type PackedMatrix } from '../../steps/packRows.js';
import { setEmbedding } from '../../steps/steps.js';
import type { Wasm } from '../../runtime/wasm.js';

/** The number of floats that are unpacked at a time. */
const CHUNK = 2 ** 16;

/** Rows from `first` on of a packed matrix of this shape. */
export interface PackedRows {
  readonly address: number;
  readonly shape: readonly number[];
  readonly first: number;
}

/** A layer's matrices in float16 or int8. */
export class PackedMatrices {
  readonly type: number;
  readonly #wasm: Wasm;

  constructor(wasm: Wasm, type: number) {
    this.#wasm = wasm;
    this.type = type;
  }

  rejectTraining(operation: string): never {
    return wrongUse(operation, "weightType 'float32' for training", `'${nameOf(this.type)}'`);
  }

  /** Memory for a matrix (outputs, inputs). */
  allocate(operation: string, shape: readonly number[]): number {
    const { raw, memory } = this.#wasm;
    const [outputs, inputs] = shape as [number, number];
    const size = raw.packedWeightSize(inputs, outputs, this.type);
    const address = memory.allocate(operation, size);
    memory.clear(address, size);
    scaleColumns(this.#wasm, operation, this.#matrix(address, shape));
    return address;
  }

  write(operation: string, { address, shape, first }: PackedRows, data: Float32Array): void {
    const matrix = this.#matrix(address, shape);
    const { inputs, outputs } = matrix;
    const read = (row: number, count: number): Float32Array => data.subarray(row * inputs, (row + count) * inputs);
    const rows = data.length / inputs;
    // A part of the rows has the columns' factors that are there.
    if (rows === outputs) scaleColumns(this.#wasm, operation, matrix, read);
    packRows(this.#wasm, operation, matrix, read, first, rows);
  }

  #matrix(packed: number, [outputs, inputs]: readonly number[]): PackedMatrix {
    return { packed, inputs: inputs!, outputs: outputs!, type: this.type };
  }

  /** Reads `count` rows, as they were rounded. */
  read(operation: string, { address, shape, first }: PackedRows, count: number): Float32Array {
    const { raw, memory } = this.#wasm;
    const [outputs, inputs] = shape as [number, number];
    const data = fresh(operation, Float32Array, count * inputs);
    const chunkRows = Math.ceil(CHUNK / inputs);
    for (let row = 0; row < count; row += chunkRows) {
      const rows = Math.min(chunkRows, count - row);
      memory.scope(operation, () => {
        const ids = memory.ints(Array.from({ length: rows }, (_, i) => first + row + i));
        const out = memory.reserve(rows * inputs);
        setEmbedding({
          ids,
          table: address,
          out,
          count: rows,
          dim: inputs,
          packedRows: outputs,
          weightType: this.type,
        });
        raw.embedding(memory.args());
        memory.read(out, rows * inputs, data.subarray(row * inputs, (row + rows) * inputs));
      });
    }
    return data;
  }
}
