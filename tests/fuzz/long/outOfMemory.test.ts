/**
 * Makes memory run out wherever it can. The allocator refuses the first, the second, … allocation of each function and
 * of each step of a layer, either only this one or also all that follow. The call must throw a RangeError with the byte
 * count, neither leak nor change anything, and work afterwards.
 */
import { describe, expect, test } from '@jest/globals';
import { loadSecond, WASM } from '../../support/instance.js';
import { same } from '../../support/same.js';
import { expectUnharmed } from '../canary.js';
import { STEPS, type Prepared, type Step } from '../steps.js';
import { allocator, attention, loadWatched, type Allocator } from '../watched.js';

const valuesOf = ({ layers }: Prepared) =>
  layers.flatMap((layer) => layer.parameters().map(({ name, data, grad }) => ({ name, data, grad })));

function finish({ layers, dispose }: Prepared): void {
  dispose?.();
  for (const layer of layers) layer.dispose();
}

interface Expected {
  readonly result: unknown;
  readonly values: unknown;
  readonly allocations: number;
}

/** A step's results and changes, and how often it allocates. */
function undisturbed(step: Step): Expected {
  const prepared = step.prepare(attention);
  const before = allocator.calls;
  const result = numbersOf(prepared.run());
  const allocations = allocator.calls - before;
  const values = valuesOf(prepared);
  finish(prepared);
  return { result, values, allocations };
}

const numbersOf = (result: unknown): unknown =>
  typeof result === 'object' && result !== null
    ? Object.fromEntries(Object.entries(result).filter(([, value]) => typeof value !== 'function'))
    : result;

/** Throws unless the call fails for lack of memory, with the library's own message. */
function expectOutOfMemory(books: Allocator, k: number, onward: boolean, call: () => unknown): void {
  const refusals = books.refused.length;
  let thrown: unknown;
  try {
    books.refusing(k, onward, call);
  } catch (error) {
    thrown = error;
  }
  expect(books.refused.length).toBeGreaterThan(refusals);
  expect(thrown).toBeInstanceOf(RangeError);
  const [, bytes] = /^[\w.]+: expected (\d+) free bytes, got out of memory$/.exec((thrown as Error).message) ?? [];
  expect(books.refused.slice(refusals)).toContain(Number(bytes));
}

/** Refuses allocation k of a step, then all allocations, then none. */
function refuseOne(step: Step, k: number, onward: boolean, { result, values }: Expected): void {
  const prepared = step.prepare(attention);
  try {
    const before = valuesOf(prepared);
    expectOutOfMemory(allocator, k, onward, prepared.run);
    // A layer may keep the results of an earlier part of the call, such as a packed weight, but only once.
    const used = allocator.calls;
    const [blocks, bytes] = [allocator.blocks.size, allocator.liveBytes];
    for (let i = 0; i < 2; ++i) expectOutOfMemory(allocator, 0, true, prepared.run);
    expect([allocator.blocks.size, allocator.liveBytes]).toEqual([blocks, bytes]);
    expect(allocator.calls).toBeGreaterThan(used);
    expect(same(valuesOf(prepared), before)).toBe(true);
    expect(same(numbersOf(prepared.run()), result)).toBe(true);
    expect(same(valuesOf(prepared), values)).toBe(true);
  } finally {
    finish(prepared);
  }
}

describe.each(STEPS)('$name', (step) => {
  test('survives the refusal of each allocation', () => {
    undisturbed(step); // the first call may allocate memory that stays: tables, the shared block
    const expected = undisturbed(step);
    for (let k = 0; k < expected.allocations; ++k) {
      for (const onward of [false, true]) {
        refuseOne(step, k, onward, expected);
        // What a layer kept from the failed call was freed with the layer.
        expectUnharmed();
      }
    }
    counted.set(step.name, expected.allocations);
  });
});

const counted = new Map<string, number>();

test('each function and layer allocates in at least one of its steps', () => {
  const groups = new Map<string, number>();
  for (const [name, allocations] of counted) {
    const subject = name.split(',')[0]!;
    groups.set(subject, (groups.get(subject) ?? 0) + allocations);
  }
  expect(groups.size).toBeGreaterThan(20);
  for (const [subject, allocations] of groups) expect([subject, allocations > 0]).toEqual([subject, true]);
});

test('the block that all calls share is allocated by a later call if it was refused at first', async () => {
  const { attention: fresh, allocator: books } = await loadWatched(() => loadSecond({ wasm: WASM }));
  const call = () => fresh.maskedSoftmax([[[0, 0]]]).data;
  for (let i = 0; i < 3; ++i) expectOutOfMemory(books, 0, true, call);
  expect(books.blocks.size).toBe(0);
  expect(call()).toEqual(Float32Array.of(0.5, 0.5));
  expect(books.blocks.size).toBe(1);
});
