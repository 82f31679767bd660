import type { Double, Float, Word } from '../../generated/bindings/args.js';
import { stepActions } from '../../generated/bindings/enums.js';
import * as T from '../../generated/bindings/step.js';

const STEP_WORDS = T.eps + 1;
export const STEP_BYTES = 4 * STEP_WORDS;

/** The fields of a step by name. */
const FIELDS = {
  x: T.x,
  y: T.y,
  weight: T.weight,
  bias: T.bias,
  out: T.out,
  args: T.args,
  rows: T.rows,
  inputs: T.inputs,
  outputs: T.outputs,
  batch: T.batch,
  stride: T.stride,
  option: T.option,
  weightType: T.weightType,
  eps: T.eps,
};
type StepFields = Partial<Record<keyof typeof FIELDS, number>>;

/** A field of a struct, by its index. */
export type Field =
  | readonly [field: Word, value: number, type?: undefined]
  | readonly [field: Float, value: number, type: 'float']
  | readonly [field: Double, value: number, type: 'double'];

/** Hands out places, and writes steps and the structs that these refer to. */
export class Builder {
  readonly #base: number;
  /** Words of structs and inputs, which come before the other memory. */
  readonly #image: number[] = [];
  readonly #steps: number[] = [];
  readonly #doubles = new Float64Array(1);
  readonly #floats = new Float32Array(this.#doubles.buffer);
  readonly #bits = new Int32Array(this.#doubles.buffer);
  #reserved = 0;
  /** Bytes of the image in the program that is built. */
  readonly #imageBytes: number;

  constructor(base: number, imageBytes: number) {
    this.#base = base;
    this.#imageBytes = imageBytes;
  }

  get count(): number {
    return this.#steps.length / STEP_WORDS;
  }

  /** Room for floats, aligned as vectors are. */
  floats(count: number): number {
    const address = this.#base + this.#imageBytes + this.#reserved;
    this.#reserved += Math.ceil(count / 4) * 16;
    return address;
  }

  /** A struct of so many words. */
  struct(fields: readonly Field[], words: number): number {
    const at = this.#image.length;
    // Aligned as doubles are, and as vectors.
    for (let i = 0; i < words || i % 4 !== 0; ++i) this.#image.push(0);
    for (const [field, value, type] of fields) {
      if (type === 'double') {
        this.#doubles[0] = value;
        this.#image.splice(at + 2 * field, 2, ...this.#bits);
      } else {
        this.#image[at + field] = type === 'float' ? this.#float(value) : value;
      }
    }
    return this.#base + 4 * at;
  }

  step(action: (typeof stepActions)[number], fields: StepFields): void {
    const at = this.#steps.length;
    for (let i = 0; i < STEP_WORDS; ++i) this.#steps.push(0);
    this.#steps[at + T.action] = stepActions.indexOf(action);
    for (const [name, value] of Object.entries(fields)) {
      this.#steps[at + FIELDS[name as keyof typeof FIELDS]] = name === 'eps' ? this.#float(value) : value;
    }
  }

  finish(): { start: number; image: Int32Array; size: number; steps: number } {
    const steps = this.#base + 4 * this.#image.length;
    const words = this.#image.length + this.#steps.length;
    const image = new Int32Array(Math.ceil(words / 4) * 4);
    image.set(this.#image);
    image.set(this.#steps, this.#image.length);
    return { start: this.#base, image, size: 4 * image.length + this.#reserved, steps };
  }

  #float(value: number): number {
    this.#floats[0] = value;
    return this.#bits[0]!;
  }
}
