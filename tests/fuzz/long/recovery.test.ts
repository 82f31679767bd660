/**
 * The effects of an exception in the middle of a call: JavaScript's stack may be full anywhere, memory may run out, and
 * a module may trap. The next call must give the same bits as ever.
 */
import { describe, expect, test } from '@jest/globals';
import type { Layer, WasmAttention } from 'wasm-attention';
import { ALL_LAYERS, type Subject } from '../../support/allLayers.js';
import { loadSecond, loadWatching, WASM } from '../../support/instance.js';
import { same } from '../../support/same.js';
import { expectUnharmed } from '../canary.js';
import { STEPS } from '../steps.js';
import { attention } from '../watched.js';

/** More repetitions than the shadow stack has room for leftovers. */
const TIMES = 40;

/** Recurses until the stack is full, and runs `call` at every level, each time with another frame layout. */
function overflow(call: () => unknown): void {
  let caught = 0;
  const descend = (depth: number): void => {
    // Frames of different sizes, so that the stack is not always full in the same function.
    if (depth % 3 === 0) Math.max(...Array<number>(depth % 7).fill(0));
    call();
    descend(depth + 1);
  };
  for (let time = 0; time < TIMES; ++time) {
    try {
      descend(time);
    } catch (error) {
      expect((error as Error).name).toBe('RangeError');
      caught += 1;
    }
  }
  expect(caught).toBe(TIMES);
}

/** Fills the stack first, and then calls on the way up, with a little more room each time. */
function overflowEverywhere(call: () => unknown): void {
  let [level, failures, successes] = [0, 0, 0];
  const descend = (): void => {
    try {
      descend();
    } catch {
      // Full.
    }
    if (++level > 600 || successes > 2) return;
    try {
      call();
      successes += 1;
    } catch {
      failures += 1;
    }
  };
  descend();
  expect(failures).toBeGreaterThan(0);
  expect(successes).toBeGreaterThan(0);
}

const withoutFunctions = (result: unknown): unknown =>
  typeof result === 'object' && result !== null
    ? Object.fromEntries(Object.entries(result).filter(([, value]) => typeof value !== 'function'))
    : result;

describe('a stack that is full in the middle of a call leaves the right next result', () => {
  test.each(STEPS)('of $name', (step) => {
    const undisturbed = step.prepare(attention);
    const expected = withoutFunctions(undisturbed.run());
    const prepared = step.prepare(attention);
    const tries = step.prepare(attention);
    try {
      overflowEverywhere(() => tries.run());
      // Not an interrupted step: its gradients may include part of the failed call's.
      expect(same(withoutFunctions(prepared.run()), expected)).toBe(true);
    } finally {
      for (const { layers, dispose } of [undisturbed, prepared, tries]) {
        dispose?.();
        for (const layer of layers) layer.dispose();
      }
    }
    expectUnharmed();
  });

  const x = { data: Float32Array.from({ length: 4 * 64 }, (_, i) => Math.sin(i)), shape: [1, 4, 64] };
  test.each<[string, () => Layer]>([
    ['Linear', () => new attention.Linear({ inFeatures: 64, outFeatures: 64, seed: 1 })],
    ['FeedForward', () => new attention.FeedForward({ numHiddens: 64, ffnHiddens: 8, seed: 1 })],
  ])('of a layer that was called at every level: %s', (_name, make) => {
    const layer = make();
    const expected = layer.forward(x).output.data;
    overflow(() => layer.forward(x));
    expect(layer.forward(x).output.data).toEqual(expected);
    layer.dispose();
    expectUnharmed();
  });
});

/** Runs `call` in the frame that is `room` frames below the one in which the stack was full. */
function callNearOverflow(room: number, call: () => void): void {
  let left = room;
  let failure: unknown;
  const descend = (): void => {
    try {
      descend();
    } catch {
      // Full.
    }
    if (left-- !== 0) return;
    try {
      call();
    } catch (error) {
      failure = error;
    }
  };
  descend();
  if (failure) throw failure as Error;
}

describe('a backward pass that overflows the stack changes no gradient', () => {
  test.each(ALL_LAYERS)('of $title', ({ make }) => {
    const trained = make();
    const { output, backward } = trained.forward({ training: true });
    backward!(output);
    const gradients = ({ layer }: Subject) => layer.parameters().map(({ grad }) => grad);
    const expected = gradients(trained);
    trained.layer.dispose();
    let failures = 0;
    for (let room = 0, successes = 0; successes < 2; ++room) {
      const tried = make();
      const pass = tried.forward({ training: true });
      const call = () => void pass.backward!(output);
      try {
        callNearOverflow(room, call);
        successes += 1;
      } catch {
        failures += 1;
        for (const gradient of gradients(tried)) expect(gradient.every((value) => value === 0)).toBe(true);
        call();
      }
      expect(same(gradients(tried), expected)).toBe(true);
      tried.layer.dispose();
    }
    expect(failures).toBeGreaterThan(0);
  });
});

/** A copy of the library in which a function traps as often as `left` says. */
async function trapping(): Promise<{ broken: WasmAttention; trap: { left: number } }> {
  const trap = { left: 0 };
  const broken = await loadWatching(
    () => loadSecond({ wasm: WASM, fresh: true }),
    ({ instance }) => {
      const exports = { ...instance.exports };
      const table = exports.__indirect_function_table as WebAssembly.Table;
      // As after an out-of-bounds write.
      const get = (index: number): unknown => {
        const call = table.get(index) as (...args: number[]) => number;
        return (...args: number[]) => {
          if (trap.left-- > 0) throw new WebAssembly.RuntimeError('memory access out of bounds');
          return call(...args);
        };
      };
      exports.__indirect_function_table = { get } as never;
      return { exports };
    },
  );
  return { broken, trap };
}

test('a trap’s error suggests a remedy, and the next call gives the right result', async () => {
  const { broken, trap } = await trapping();
  const call = () => broken.maskedSoftmax([[[0, 0]]]).data;
  expect(call()).toEqual(Float32Array.of(0.5, 0.5));
  trap.left = 1;
  expect(call).toThrow(
    'maskedSoftmax: expected the module to return, got memory access out of bounds; load({ fresh: true }) makes a new module',
  );
  expect(call()).toEqual(Float32Array.of(0.5, 0.5));
});
