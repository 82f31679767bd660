import { wrongUse } from '../../check/values.js';
import { isInt8, nameOf } from '../../check/weightType.js';
import { fresh } from '../../runtime/memory.js';
import { setEmbedding } from '../../steps/steps.js';
import type { Wasm } from '../../runtime/wasm.js';

/** The number of floats that are packed or unpacked at a time. */
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
  allocate(operation: string, [outputs, inputs]: readonly number[]): number {
    const { raw, memory } = this.#wasm;
    const size = raw.packedWeightSize(inputs!, outputs!, this.type);
    const address = memory.allocate(operation, size);
    memory.clear(address, size);
    this.#scaleColumns(operation, address, inputs!);
    return address;
  }

  write(operation: string, { address, shape, first }: PackedRows, data: Float32Array): void {
    const { raw, memory } = this.#wasm;
    const [outputs, inputs] = shape as [number, number];
    const chunkRows = Math.ceil(CHUNK / inputs);
    const each = (use: (rows: number, row: number, count: number) => void): void => {
      for (let row = 0; row * inputs < data.length; row += chunkRows) {
        const rows = data.subarray(row * inputs, (row + chunkRows) * inputs);
        memory.scope(operation, () => use(memory.floats(rows), row, rows.length / inputs));
      }
    };
    if (isInt8(this.type) && data.length === outputs * inputs) {
      memory.clear(address, inputs);
      each((rows, _row, count) => raw.weighInt8Columns(rows, inputs, count, address));
      this.#scaleColumns(operation, address, inputs);
    }
    each((rows, row, count) => raw.packWeight(rows, address, inputs, outputs, first + row, count, this.type));
  }

  #scaleColumns(operation: string, address: number, inputs: number): void {
    const { raw, memory } = this.#wasm;
    if (isInt8(this.type)) memory.scope(operation, () => raw.scaleInt8Columns(address, inputs, memory.reserve(inputs)));
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
