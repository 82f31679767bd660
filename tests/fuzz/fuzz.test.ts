/**
 * Calls every public function and layer with random arguments. Results of correct arguments are compared with the
 * float64 oracles, and must be the same if they are written over an argument. Unknown options must be refused.
 * Arguments with NaN, infinities and huge numbers must give the same bits twice. Arguments with mistakes must be
 * refused with the library's own kind of message, or do no harm. Before some calls, others fail midway, because the
 * stack is full or memory runs out. After each call, small calls must give the same bits as before, and all other
 * memory must be free.
 *
 * CI draws 2000 cases, `npm run fuzz` 300,000; FC_SEED chooses others.
 */
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { modulesIn, read } from '../package/support.js';
import { same } from '../support/same.js';
import { writtenOver } from './aliases.js';
import { expectUnharmed, SMALL_CALLS } from './canary.js';
import { CASES, type Case } from './cases.js';
import { Draw } from './draw.js';
import { withMistakes, withWildNumbers } from './mistakes.js';
import { allocator } from './watched.js';

const RUNS = Number(process.env.FUZZ_CASES ?? (process.env.LONG ? 2000 : 500));
const names = Object.keys(CASES);
/** Bytes, far more than any case needs. A larger heap means that memory was allocated for arguments with mistakes. */
const HEAP = 64 * 2 ** 20;

const counts = { overflows: 0, refusedBlocks: 0, right: 0, aliased: 0, wild: 0, refused: 0, taken: 0 };

function callWith({ call }: Case, args: readonly unknown[]): unknown {
  return call(...(args as never[]));
}

function expectRefusal(error: unknown, operations: readonly string[]): void {
  const { name, message } = error as Error;
  const [, operation] = /^(\w+)(?:\.\w+)?: expected .+, got /s.exec(message) ?? [];
  const ours = operation !== undefined && operations.includes(operation);
  if (!ours || !/^(Type|Range)Error$/.test(name)) {
    throw new Error(`expected a refusal of ${operations.join(' or ')}, got ${name}: ${message}`, {
      cause: error,
    });
  }
}

/** Fills the stack, and makes a small call at each level on the way up until it fits: before, it fails anywhere. */
function overflow(call: () => unknown): void {
  let [failed, succeeded] = [false, false];
  const descend = (): void => {
    try {
      descend();
    } catch {
      // Full.
    }
    if (succeeded) return;
    try {
      call();
      succeeded = true;
    } catch {
      failed = true;
    }
  };
  descend();
  expect([failed, succeeded]).toEqual([true, true]);
  counts.overflows += 1;
}

/** Makes one allocation of a call fail, or one and all that follow. */
function runOutOfMemory(draw: Draw, drawn: Case): void {
  const refusals = allocator.refused.length;
  try {
    allocator.refusing(draw.integer(0, 3), draw.chance(0.5), () => callWith(drawn, drawn.args));
  } catch (error) {
    expect((error as Error).message).toMatch(/^[\w.]+: expected \d+ free bytes, got out of memory$/);
  }
  counts.refusedBlocks += allocator.refused.length - refusals;
}

/** Whether a value is an object of options, and neither a tensor nor a list. */
function isOptions(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype &&
    !('data' in value)
  );
}

/** Adds an unknown option to each object of options: the call has to refuse it, whatever its value. */
function expectStrict(drawn: Case, operations: readonly string[]): void {
  drawn.args.forEach((arg, at) => {
    if (!isOptions(arg)) return;
    let refused: unknown;
    try {
      callWith(drawn, drawn.args.with(at, { ...arg, isCasual: undefined }));
    } catch (error) {
      refused = error;
    }
    expectRefusal(refused ?? new Error('an unknown option that was accepted'), operations);
    expect((refused as Error).message).toContain("'isCasual'");
  });
}

function run(name: string, seed: number, most: number, kind: number): void {
  const draw = new Draw(seed, most);
  const drawn = CASES[name]!(draw);
  const operations = [name, ...(drawn.names ?? []), 'safetensors'];
  if (kind === 0) overflow(draw.pick(SMALL_CALLS));
  if (kind === 1) runOutOfMemory(draw, drawn);
  if (kind < 4) {
    const result = callWith(drawn, drawn.args);
    // The names of a state dict are a file's, not options.
    if (name !== 'writeSafetensors') {
      expectStrict(drawn, operations);
      const over = writtenOver(draw, name, drawn.args, result);
      if (over) {
        expect(same(callWith(drawn, over), result)).toBe(true);
        counts.aliased += 1;
      }
    }
    drawn.check(result as never);
    counts.right += 1;
  } else if (kind < 6) {
    const args = drawn.args.map((arg) => withWildNumbers(draw, arg));
    try {
      const [first, second] = [callWith(drawn, args), callWith(drawn, args)];
      expect(same(first, second)).toBe(true);
    } catch (error) {
      // Among the numbers are positions and lengths, which must be finite.
      expectRefusal(error, operations);
    }
    counts.wild += 1;
  } else {
    const args = withMistakes(draw, drawn.args);
    try {
      // Some changes are not mistakes: another size may fit as well.
      const [first, second] = [callWith(drawn, args), callWith(drawn, args)];
      expect(same(first, second)).toBe(true);
      counts.taken += 1;
    } catch (error) {
      expectRefusal(error, operations);
      counts.refused += 1;
    }
  }
  expectUnharmed();
}

describe('fuzzing', () => {
  let before: number;
  beforeAll(() => {
    before = performance.now();
    // A layer whose seed is undefined by mistake draws the same one every time.
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
  });
  afterAll(() => {
    const seconds = ((performance.now() - before) / 1000).toFixed(1);
    if (RUNS > 2000) console.log(`${RUNS} cases in ${seconds} s:`, counts, `heap ${allocator.heapBytes} bytes`);
  });

  test('covers every public function and layer', () => {
    const layers = Array.from(read('web/lib/layers.ts').matchAll(/^ {2}readonly ([A-Z]\w+): new\b/gm), ([, l]) => l!);
    const files = ['readSafetensors', 'writeSafetensors'];
    expect(names.sort()).toEqual([...modulesIn('web/lib/ops'), ...layers, ...files, 'KeyValueCache'].sort());
  });

  test.each(names)(
    'of %s finds nothing',
    (name) => {
      fc.assert(
        fc.property(
          fc.noBias(fc.integer({ min: 0, max: 2 ** 31 - 1 })),
          fc.oneof(
            { arbitrary: fc.integer({ min: 1, max: 9 }), weight: 9 },
            { arbitrary: fc.integer({ min: 10, max: 40 }), weight: 1 },
          ),
          fc.integer({ min: 0, max: 9 }),
          (seed, most, kind) => run(name, seed, most, kind),
        ),
        { numRuns: Math.ceil(RUNS / names.length) },
      );
      expect(allocator.heapBytes).toBeLessThan(HEAP);
    },
    3_600_000,
  );

  test('refuses most mistakes, and disturbs many calls', () => {
    expect(counts.refused).toBeGreaterThan(5 * counts.taken);
    expect(counts.aliased).toBeGreaterThan(RUNS / 50);
    expect(counts.overflows).toBeGreaterThan(RUNS / 20);
    expect(counts.refusedBlocks).toBeGreaterThan(RUNS / 100);
  });
});
