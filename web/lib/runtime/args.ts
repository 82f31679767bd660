/**
 * The struct that the next call reads. web/lib/generated/bindings has the index of each field in one of three views of
 * the same memory. Fields that are not set are 0. All calls use the same struct: each clears it, fills it in and passes
 * it on.
 */
import { LARGEST, type Double, type Float, type Within, type Word } from '../generated/bindings/args.js';
import * as Strides from '../generated/bindings/strides.js';

const all = new Float64Array(LARGEST);
/** All of it, for copying. */
export const ARGS = new Int32Array(all.buffer);
export const words: Record<Word, number> = ARGS;
export const floats: Record<Float, number> = new Float32Array(all.buffer);
export const doubles: Record<Double, number> = all;

export function clearArgs(): void {
  ARGS.fill(0);
}

/** The index of a field of a nested struct. */
export function within<Field extends number>(struct: Within<string>, field: Field): Field {
  return (struct + field) as Field;
}

/** Sets the address and the strides of a stack of matrices. */
export function setStack(
  at: Word,
  strides: Within<'Strides'>,
  address: number,
  { batch, head, row }: { readonly batch: number; readonly head: number; readonly row: number },
): void {
  words[at] = address;
  words[(strides + Strides.batch) as Word] = batch;
  words[(strides + Strides.head) as Word] = head;
  words[(strides + Strides.row) as Word] = row;
}
