import { sizeOf } from '../../check/values.js';
import { checkHalves, FLOAT16 } from '../../check/weightType.js';
import type { Wasm } from '../../runtime/wasm.js';
import { packRows, scaleColumns } from '../../steps/packRows.js';
import type { Matrix } from '../../steps/steps.js';
import { OPERATION } from '../config/architecture.js';
import type { Tensors } from '../files.js';
import { partOf, type Part, type Source } from './parts.js';

/** The number of floats of a vector or a table that are read at a time. */
const CHUNK = 2 ** 16;

/** Places some numbers, once the bytes of tensors are in memory. */
export interface Job {
  readonly tensors: readonly string[];
  readonly place: () => void;
}

/**
 * Owns the memory of a model's parameters. Until `startPlacing` it only checks tensors, and every address is 0. After it,
 * it allocates memory and notes what has to be placed there.
 */
export class Store {
  /** The type of matrices, as its number in C++. */
  readonly weightType: number;
  readonly #wasm: Wasm;
  #tensors: Tensors | undefined;
  readonly #addresses: number[] = [];
  #bytes = 0;
  #jobs: Job[] | undefined;

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
    this.#jobs = undefined;
  }

  dispose(): void {
    this.finish();
    for (const address of this.#addresses.splice(0)) this.#wasm.memory.release(address);
  }

  /** From now on memory is allocated. */
  startPlacing(): void {
    this.#jobs = [];
  }

  /** What has to be placed and has not been taken before. */
  takeJobs(): Job[] {
    return this.#jobs!.splice(0);
  }

  /** A vector or a table, as it is in the file or with `more` added; or several of one shape, one after another. */
  plain(names: string | readonly string[], shape: readonly number[], more = 0): number {
    const tensors = this.#tensors!;
    const { memory } = this.#wasm;
    const list = [names].flat();
    for (const name of list) tensors.check(name, shape);
    if (!this.#jobs) return 0;
    const size = sizeOf(shape);
    const first = this.allocate(list.length * size);
    const row = shape.at(-1) ?? 1;
    const chunk = Math.max(1, Math.floor(CHUNK / row)) * row;
    for (const [i, name] of list.entries()) {
      const address = first + 4 * i * size;
      const place = (): void => {
        for (let begin = 0; begin < size; begin += chunk) {
          memory.scope(OPERATION, () => {
            const data = tensors.read(this.#wasm, name, begin, Math.min(begin + chunk, size));
            memory.write(address + 4 * begin, more === 0 ? data : data.map((x) => x + more));
          });
        }
      };
      this.#jobs.push({ tensors: [name], place });
    }
    return first;
  }

  /** A vector or a table that is not in the file. */
  computed(compute: () => Float32Array): number {
    if (!this.#jobs) return 0;
    const data = compute();
    const address = this.allocate(data.length);
    this.#wasm.memory.write(address, data);
    return address;
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
    for (const { name, shape, factors, count } of [...parts, ...(biasParts ?? [])]) {
      this.#tensors!.check(name, shape);
      if (factors !== undefined) this.#tensors!.check(factors, [count]);
    }
    const outputs = parts.reduce((sum, { count }) => sum + count, 0);
    if (!this.#jobs) return { packed: 0, bias: 0, inputs, outputs, weightType };
    const size = raw.packedWeightSize(inputs, outputs, weightType);
    const packed = this.allocate(size);
    const matrix = { packed, inputs, outputs, type: weightType };
    const place = (): void => {
      const read = this.#reader(parts, inputs);
      scaleColumns(this.#wasm, OPERATION, matrix, read);
      packRows(this.#wasm, OPERATION, matrix, read);
      // C++ notes whether a number became infinite.
      if (weightType === FLOAT16 && memory.view(packed, 1)[0] !== 0) {
        const check = this.#reader(parts, inputs, true);
        for (let row = 0; row < outputs; ++row) memory.scope(OPERATION, () => check(row, 1));
      }
    };
    this.#jobs.push({ tensors: namesOf(parts), place });
    if (!biasParts) return { packed, bias: 0, inputs, outputs, weightType };
    const bias = this.allocate(outputs);
    const placeBias = (): void =>
      memory.scope(OPERATION, () => memory.write(bias, this.#reader(biasParts, 1)(0, outputs)));
    this.#jobs.push({ tensors: namesOf(biasParts), place: placeBias });
    return { packed, bias, inputs, outputs, weightType };
  }

  /** Reads rows of several parts as if they were one matrix, perhaps checks them for float16. The next call may overwrite the result. */
  #reader(parts: readonly Part[], inputs: number, checks = false): (first: number, count: number) => Float32Array {
    const tensors = this.#tensors!;
    const read = parts.map(({ name, rows, factors, count }) => {
      const plain = rows((begin, end) => tensors.read(this.#wasm, name, begin, end));
      const by = factors === undefined ? undefined : tensors.read(this.#wasm, factors, 0, count).slice();
      return (first: number, count: number): Float32Array => {
        const given = plain(first, count);
        const data = by ? multiplied(given, by.subarray(first, first + count)) : given;
        if (checks) checkHalves(OPERATION, `'${tensors.givenName(name)}'`, data);
        return data;
      };
    });
    let room = new Float32Array(0);
    return (first, count) => {
      if (parts.length > 1 && room.length < count * inputs) room = new Float32Array(count * inputs);
      const whole = parts.length > 1 ? room.subarray(0, count * inputs) : undefined;
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

/** Rows, each multiplied by a factor. */
function multiplied(rows: Float32Array, factors: Float32Array): Float32Array {
  const width = rows.length / factors.length;
  const result = rows.slice();
  let at = 0;
  for (const factor of factors) for (const end = at + width; at < end; ++at) result[at]! *= factor;
  return result;
}

function namesOf(parts: readonly Part[]): string[] {
  return [...new Set(parts.flatMap(({ name, factors = name }) => [name, factors]))];
}
