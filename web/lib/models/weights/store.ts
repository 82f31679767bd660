import { sizeOf } from '../../check/values.js';
import { checkHalves, FLOAT16 } from '../../check/weightType.js';
import type { Wasm } from '../../runtime/wasm.js';
import { packRows, scaleColumns } from '../../steps/packRows.js';
import type { Matrix } from '../../steps/steps.js';
import { OPERATION } from '../config/architecture.js';
import type { Tensors } from '../files.js';
import { partOf, type Part, type Source } from './parts.js';
import type { NormWeights } from './types.js';

/**
 * Owns the memory of a model's parameters. Until `startPlacing` it only checks tensors and counts bytes, and every
 * address is 0.
 */
export class Store {
  /** The type of matrices, as its number in C++. */
  readonly weightType: number;
  readonly #wasm: Wasm;
  #tensors: Tensors | undefined;
  readonly #addresses: number[] = [];
  #bytes = 0;
  /** The bytes of all tensors that have been checked. */
  #total = 0;
  #placed: ((bytes: number, total: number) => void) | undefined;

  constructor(wasm: Wasm, tensors: Tensors, weightType: number) {
    this.#wasm = wasm;
    this.#tensors = tensors;
    this.weightType = weightType;
  }

  get bytes(): number {
    return this.#bytes;
  }

  allocate(floats: number): number {
    const address = this.#wasm.memory.allocate(OPERATION, floats);
    this.#addresses.push(address);
    this.#bytes += 4 * floats;
    return address;
  }

  /** Lets go of the file, whose tensors are all placed now. */
  finish(): void {
    this.#tensors = undefined;
    this.#placed = undefined;
  }

  dispose(): void {
    this.finish();
    for (const address of this.#addresses.splice(0)) this.#wasm.memory.release(address);
  }

  /** From now on tensors are placed; `placed` is called after each. */
  startPlacing(placed: (bytes: number, total: number) => void): void {
    this.#placed = placed;
  }

  /** A vector or a table, as it is in the file. */
  plain(name: string, shape: readonly number[]): number {
    this.#tensors!.check(name, shape);
    return this.#write(sizeOf(shape), () => this.#tensors!.read(name));
  }

  /** A vector that is not in the file. */
  computed(data: Float32Array): number {
    return this.#write(data.length, () => data);
  }

  norm(name: string, width: number, hasBias: boolean): NormWeights {
    const weight = this.plain(`${name}.weight`, [width]);
    return { weight, bias: hasBias ? this.plain(`${name}.bias`, [width]) : 0 };
  }

  /** A linear map, or several with their outputs one after another. */
  linear(source: Source | readonly Source[], inputs: number, outputs: number, hasBias = true): Matrix {
    const sources = Array.isArray(source) ? (source as readonly Source[]) : [source as Source];
    const each = outputs / sources.length;
    const parts = (tensor: 'weight' | 'bias') => sources.map((one) => partOf(one, tensor, each, inputs));
    return this.matrix(inputs, parts('weight'), hasBias ? parts('bias') : undefined);
  }

  /** A matrix of the parts' rows, and a bias of its parts. */
  matrix(inputs: number, parts: readonly Part[], biasParts?: readonly Part[], weightType = this.weightType): Matrix {
    const { raw, memory } = this.#wasm;
    for (const { name, shape } of [...parts, ...(biasParts ?? [])]) this.#tensors!.check(name, shape);
    const outputs = parts.reduce((sum, { count }) => sum + count, 0);
    const size = raw.packedWeightSize(inputs, outputs, weightType);
    let bias = 0;
    const packed = this.#take(size + (biasParts ? outputs : 0), () => {
      const packed = this.allocate(size);
      if (weightType > 0) memory.clear(packed, size);
      const read = this.#reader(parts, inputs, true);
      const matrix = { packed, inputs, outputs, type: weightType };
      scaleColumns(this.#wasm, OPERATION, matrix, read);
      packRows(this.#wasm, OPERATION, matrix, read);
      if (biasParts) {
        bias = this.allocate(outputs);
        memory.write(bias, this.#reader(biasParts, 1, false)(0, outputs));
      }
      return packed;
    });
    return { packed, bias, inputs, outputs, weightType };
  }

  #write(size: number, read: () => Float32Array): number {
    return this.#take(size, () => {
      const address = this.allocate(size);
      this.#wasm.memory.write(address, read());
      return address;
    });
  }

  /** Counts the floats, or places them. */
  #take(floats: number, place: () => number): number {
    if (!this.#placed) {
      this.#total += 4 * floats;
      return 0;
    }
    const address = place();
    this.#placed(this.#bytes, this.#total);
    return address;
  }

  /** Reads rows of several parts as if they were one matrix. */
  #reader(parts: readonly Part[], inputs: number, isMatrix: boolean): (first: number, count: number) => Float32Array {
    // Biases stay float32.
    const rounds = this.weightType === FLOAT16 && isMatrix;
    const read = parts.map(({ name, rows }) =>
      rows((begin, end) => {
        const data = this.#tensors!.read(name, begin, end);
        if (rounds) checkHalves(OPERATION, `'${this.#tensors!.givenName(name)}'`, data);
        return data;
      }),
    );
    return (first, count) => {
      const whole = parts.length > 1 ? new Float32Array(count * inputs) : undefined;
      let begin = 0;
      for (const [i, { count: rows }] of parts.entries()) {
        const from = Math.max(first, begin);
        const to = Math.min(first + count, begin + rows);
        if (from < to) {
          const data = read[i]!(from - begin, to - from);
          if (!whole) return data;
          whole.set(data, (from - first) * inputs);
        }
        begin += rows;
      }
      return whole!;
    };
  }
}
