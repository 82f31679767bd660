import { toTensor } from '../../check/arrays.js';
import { sizeOf, wrongUse, wrongValue } from '../../check/values.js';
import { checkHalves, FLOAT16 } from '../../check/weightType.js';
import { fresh, orOutOfMemory } from '../../runtime/memory.js';
import type { Wasm } from '../../runtime/wasm.js';
import type { Matrix } from '../../steps/steps.js';
import type { Tensor, TensorLike } from '../../types.js';
import { PackedMatrices } from './packedMatrices.js';
import { checkState, type ParameterSpec } from './specs.js';
import { rememberParameter } from './storedParameters.js';
import type { Parameter } from './types.js';

// Frees the memory of a layer that was garbage-collected without dispose().
const registry = new FinalizationRegistry<() => void>((release) => release());

/** The key of a matrix's packed rows. */
const packedKey = (name: string, first: number, rows: number): string => `${name} ${first} ${rows}`;

/**
 * The parameters of one layer, in wasm memory. A matrix (out, in) also has a packed form for products, which is made
 * when it is first needed, and remade after a change.
 */
export class Parameters {
  readonly #wasm: Wasm;
  readonly #operation: string;
  readonly #specs: readonly ParameterSpec[];
  // By name, without parameters that follow another one.
  readonly #addresses = new Map<string, number>();
  readonly #gradients = new Map<string, number>();
  readonly #packed = new Map<string, number>();
  readonly #stale = new Set<string>();
  readonly #matrices = new Map<string, Matrix>();
  /** Matrices that are stored only in float16 or int8. */
  readonly #packedMatrices: PackedMatrices | undefined;
  #disposed = false;
  /** Initial values are made when they are first needed, because `load` replaces them all and is faster. */
  #initialised = false;

  /** @param weightType the type of matrices, as its number in C++ */
  constructor(wasm: Wasm, operation: string, specs: readonly ParameterSpec[], weightType = 0) {
    this.#wasm = wasm;
    this.#operation = operation;
    this.#specs = specs;
    const { memory } = wasm;
    // A closure that refers to `this` would keep it from being collected.
    const maps = [this.#addresses, this.#gradients, this.#packed];
    const release = () => {
      for (const map of maps) {
        for (const [name, address] of map) {
          memory.release(address);
          map.delete(name);
        }
      }
    };
    if (weightType > 0) this.#packedMatrices = new PackedMatrices(wasm, weightType);
    try {
      for (const { name, follows, shape } of specs) {
        if (follows) continue;
        const joined = this.#joinedShape(name);
        if (this.#packedMatrices && shape.length === 2) {
          this.#packed.set(packedKey(name, 0, joined[0]!), this.#packedMatrices.allocate(operation, joined));
        } else {
          this.#addresses.set(name, memory.allocate(operation, sizeOf(joined)));
        }
      }
    } catch (error) {
      release();
      throw error;
    }
    registry.register(this, release, this);
    this.#release = release;
  }

  readonly #release: () => void;

  /** Throws if the layer was disposed. Every method of a layer calls this first. */
  check(operation = this.#operation): void {
    this.#checkUse(operation);
    if (this.#initialised) return;
    for (const { name, shape, initial } of this.#specs) {
      this.#write(name, orOutOfMemory(operation, 4 * sizeOf(shape), initial));
    }
    this.#initialised = true;
  }

  #checkUse(operation: string): void {
    if (this.#disposed) wrongUse(operation, 'a layer in use', 'a disposed one');
  }

  /** Its number in C++. */
  get weightType(): number {
    return this.#packedMatrices?.type ?? 0;
  }

  /** Throws if these parameters cannot be trained. */
  checkTraining(operation: string, training = true): void {
    if (training) this.#packedMatrices?.rejectTraining(operation);
  }

  has(name: string): boolean {
    return this.#specs.some((spec) => spec.name === name);
  }

  shape(name: string): readonly number[] {
    return this.#spec(name).shape;
  }

  /** The address of a parameter; 0 if the layer has none with that name. */
  address(name: string): number {
    return this.#addressIn(this.#addresses, name);
  }

  /** The address of a parameter's gradient, to which backward passes add; 0 if the layer has no such parameter. */
  gradient(name: string): number {
    if (!this.has(name)) return 0;
    const first = this.#spec(name).follows ?? name;
    if (!this.#gradients.has(first)) {
      const size = sizeOf(this.#joinedShape(first));
      this.#gradients.set(first, this.#wasm.memory.allocate(this.#operation, size));
    }
    return this.#addressIn(this.#gradients, name);
  }

  /** The address of a packed matrix, together with one that follows it, or of its rows [first, end). */
  packed(name: string, first = 0, end?: number): number {
    const { raw, memory } = this.#wasm;
    const [all, inputs] = this.#joinedShape(name) as [number, number];
    // Panels of a packed matrix have eight rows each.
    if (first > 0 && first % 8 === 0) return this.packed(name) + 4 * first * inputs;
    const outputs = (first === 0 || end === undefined ? all : end) - first;
    const key = packedKey(name, first, outputs);
    let address = this.#packed.get(key);
    if (address === undefined) {
      address = memory.allocate(this.#operation, raw.packedWeightSize(inputs, outputs, 0));
      this.#packed.set(key, address);
      this.#stale.add(key);
    }
    if (this.#stale.has(key)) {
      raw.packWeight(this.address(name) + 4 * first * inputs, address, inputs, outputs, 0, outputs, 0);
      this.#stale.delete(key);
    }
    return address;
  }

  /** A linear map: a weight and its bias, or their rows [first, end). */
  matrix(weight: string, bias: string, first = 0, end?: number): Matrix {
    const key = `${weight} ${first} ${end}`;
    let matrix = this.#matrices.get(key);
    if (!matrix) {
      const [all, inputs] = this.#joinedShape(weight) as [number, number];
      const address = this.address(bias);
      matrix = {
        packed: this.packed(weight, first, end),
        bias: address && address + 4 * first,
        inputs,
        outputs: (end ?? all) - first,
        weightType: this.weightType,
      };
      this.#matrices.set(key, matrix);
    } else if (this.#stale.size > 0) this.packed(weight, first, end);
    return matrix;
  }

  list(): Parameter[] {
    this.check();
    const read = (name: string): Float32Array => this.#read(name);
    const readGradient = (name: string): Float32Array => this.#readGradient(name);
    return this.#specs.map(({ name, shape }) => {
      const parameter: Parameter = {
        name,
        shape: [...shape],
        get data() {
          return read(name);
        },
        get grad() {
          return readGradient(name);
        },
        set: (data) => {
          this.check();
          const { data: floats } = toTensor(this.#operation, name, data as TensorLike);
          if (floats.length !== sizeOf(shape)) {
            wrongValue(this.#operation, `${name} to hold ${sizeOf(shape)} elements`, floats.length);
          }
          this.check();
          this.#checkHalves(this.#operation, name, floats);
          this.#write(name, floats);
        },
      };
      rememberParameter(parameter, {
        wasm: this.#wasm,
        size: sizeOf(shape),
        check: (operation) => {
          this.check(operation);
          this.checkTraining(operation);
        },
        address: () => this.address(name),
        gradient: () => this.#addressIn(this.#gradients, name),
        changed: () => this.#changed(name),
      });
      return parameter;
    });
  }

  stateDict(): Record<string, Tensor> {
    this.check();
    return Object.fromEntries(
      this.#specs.map(({ name, shape }) => [name, { data: this.#read(name), shape: [...shape] }]),
    );
  }

  /** Checks every name, shape and, for float16, number before it changes anything. */
  load(state: Record<string, TensorLike>): void {
    const operation = `${this.#operation}.loadStateDict`;
    this.#checkUse(operation);
    const tensors = checkState(operation, state, this.#specs);
    this.#specs.forEach(({ name }, i) => this.#checkHalves(operation, name, tensors[i]!.data));
    this.#specs.forEach(({ name }, i) => this.#write(name, tensors[i]!.data));
    this.#initialised = true;
  }

  dispose(): void {
    this.#disposed = true;
    this.#release();
    registry.unregister(this);
  }

  #spec(name: string): ParameterSpec {
    return this.#specs.find((spec) => spec.name === name)!;
  }

  /** The address of a parameter within its block; 0 if there is none. */
  #addressIn(blocks: ReadonlyMap<string, number>, name: string): number {
    const follows = this.has(name) ? this.#spec(name).follows : undefined;
    const address = blocks.get(follows ?? name) ?? 0;
    return follows && address ? address + 4 * sizeOf(this.#spec(follows).shape) : address;
  }

  /** The shape of a parameter together with one that follows it. */
  #joinedShape(name: string): readonly number[] {
    const { shape } = this.#spec(name);
    const [rows = 1, ...rest] = shape;
    return this.#specs.some(({ follows }) => follows === name) ? [2 * rows, ...rest] : shape;
  }

  #read(name: string): Float32Array {
    this.check();
    const place = this.#packedRows(name);
    if (place) return this.#packedMatrices!.read(this.#operation, place, this.#spec(name).shape[0]!);
    return this.#wasm.memory.read(this.address(name), sizeOf(this.#spec(name).shape));
  }

  #readGradient(name: string): Float32Array {
    this.check();
    const size = sizeOf(this.#spec(name).shape);
    const address = this.#addressIn(this.#gradients, name);
    return address === 0 ? fresh(this.#operation, Float32Array, size) : this.#wasm.memory.read(address, size);
  }

  /** The rows of a matrix that is not stored in float32. */
  #packedRows(name: string): { address: number; shape: readonly number[]; first: number } | undefined {
    const { follows, shape } = this.#spec(name);
    if (!this.#packedMatrices || shape.length !== 2) return undefined;
    const first = follows ?? name;
    const joined = this.#joinedShape(first);
    return {
      address: this.#packed.get(packedKey(first, 0, joined[0]!))!,
      shape: joined,
      first: follows === undefined ? 0 : this.#spec(follows).shape[0]!,
    };
  }

  /** Throws if a parameter is stored in float16, and a number is too large for that. */
  #checkHalves(operation: string, name: string, data: Float32Array): void {
    if (this.#packedRows(name) && this.#packedMatrices!.type === FLOAT16) checkHalves(operation, name, data);
  }

  #write(name: string, data: Float32Array): void {
    const place = this.#packedRows(name);
    if (place) {
      this.#packedMatrices!.write(this.#operation, place, data);
    } else {
      this.#wasm.memory.write(this.address(name), data);
      this.#changed(name);
    }
  }

  #changed(name: string): void {
    const first = this.#spec(name).follows ?? name;
    for (const key of this.#packed.keys()) if (key.startsWith(`${first} `)) this.#stale.add(key);
  }
}
