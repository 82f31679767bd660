/** Manipulated GGUF files are refused with the library's errors, and do no other harm. */
import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openModel, readCheckpoint } from 'wasm-attention/models';
import { allocator, attention } from '../../../fuzz/watched.js';
import { modelOf, PUBLISHED } from '../published.js';
import { writeGguf, type FileTensor, type Keys } from '../writer.js';

/** With a vocabulary, so that there are lists. */
const tokens: Keys = {
  'tokenizer.ggml.model': ['string', 'llama'],
  'tokenizer.ggml.tokens': ['list', 'string', ['<unk>', '<s>', '</s>', '▁', 'a', 'b', 'ab', '▁ab']],
  'tokenizer.ggml.scores': ['list', 'f32', [0, 0, 0, -1, -2, -3, -4, -5]],
  'tokenizer.ggml.token_type': ['list', 'i32', [2, 3, 3, 1, 1, 1, 1, 1]],
};
const files = Object.entries(PUBLISHED).map(([name, { keys }]) => ({
  keys: { ...keys, ...tokens },
  tensors: modelOf(name, 'Q4_K').tensors,
}));
const written = files.map(({ keys, tensors }) => writeGguf(keys, tensors));

/** Reads, opens and uses a file; it may be refused with an error of the library. */
async function open(file: Uint8Array<ArrayBuffer>): Promise<boolean> {
  let model;
  try {
    const checkpoint = await readCheckpoint(new File([file], 'x.gguf'));
    void checkpoint.tokenizer?.json;
    model = await openModel({ ...checkpoint, attention });
    model.forward([[1, 2, 3]]);
    return true;
  } catch (error) {
    const { name, message } = error as Error;
    expect(['RangeError', 'TypeError']).toContain(name);
    expect(message).toMatch(/^(openModel|readCheckpoint|forward): expected /);
    return false;
  } finally {
    model?.dispose();
  }
}

// The module keeps a block from its first call on.
beforeAll(async () => {
  for (const file of written) expect(await open(file)).toBe(true);
});

test('files with some bytes of their headers changed, or cut', async () => {
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...written.keys()),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }),
      fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      async (i, changes, cut) => {
        const live = allocator.liveBytes;
        const whole = written[i]!;
        const file = whole.slice(0, cut === null ? undefined : Math.floor(cut ** 4 * whole.length));
        for (const [at, byte] of changes) file[at % Math.min(2000, file.length)] = byte;
        if (!(await open(file))) refused += 1;
        expect(allocator.liveBytes).toBe(live);
      },
    ),
    { numRuns: 1500 },
  );
  expect(refused).toBeGreaterThan(500);
});

const strange = fc.oneof(
  fc.constantFrom(0, 1, 2, 3, 7, 8, 9, 31, 32, 255, 2 ** 31, 2 ** 32 - 1, NaN, Infinity, -1, 0.5),
  fc.double(),
);

test('files with some values, shapes, types and offsets changed', async () => {
  let [opened, refused] = [0, 0];
  const u64 = fc.oneof(
    fc.constantFrom(0n, 1n, 31n, 32n, 256n, 2n ** 31n, 2n ** 53n, 2n ** 63n),
    fc.bigInt(0n, 2n ** 64n - 1n),
  );
  const tensorChange = fc.record(
    { shape: fc.array(u64, { maxLength: 5 }), type: fc.nat(42), offset: u64 },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...files.keys()),
      fc.array(fc.tuple(fc.nat(), fc.constantFrom('u32', 'f64', 'bool', 'string', 'i64'), strange), { maxLength: 2 }),
      fc.option(fc.tuple(fc.nat(), tensorChange)),
      async (i, changes, change) => {
        const live = allocator.liveBytes;
        const { keys, tensors } = files[i]!;
        const names = [...Object.keys(keys), 'general.alignment'];
        const changed: Record<string, Keys[string]> = { ...keys };
        for (const [at, type, value] of changes) {
          const isWhole = type === 'u32' || type === 'i64';
          changed[names[at % names.length]!] = [type, isWhole ? Math.abs(Math.trunc(value)) % 2 ** 32 || 0 : value];
        }
        const parts: FileTensor[] = [...tensors];
        if (change) parts[change[0] % parts.length] = { ...parts[change[0] % parts.length]!, ...change[1] };
        if (await open(writeGguf(changed, parts))) opened += 1;
        else refused += 1;
        expect(allocator.liveBytes).toBe(live);
      },
    ),
    { numRuns: 1500 },
  );
  expect(opened).toBeGreaterThan(50);
  expect(refused).toBeGreaterThan(500);
});
