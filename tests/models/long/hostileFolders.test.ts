/** Broken folders and servers are refused with the library's errors, and do no other harm. */
import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openModel, readCheckpoint, type Checkpoint } from 'wasm-attention/models';
import { allocator, attention } from '../../fuzz/watched.js';
import { checkpoint } from '../fixtures.js';
import {
  ADDRESS,
  dropOf,
  filesOf,
  handleOf,
  json,
  published,
  serverOf,
  sharded,
  type Files,
} from '../checkpoint/folders.js';

const NAMES = ['gpt2', 'llama3-scaled-tied', 'bert-padded'];
const folders = NAMES.flatMap((name) => [published(name), sharded(name, 2)]);
const modules = ['Transformer', 'Pooling', 'Dense', 'Normalize'];

const strange = fc.oneof(
  fc.constantFrom<unknown>(null, true, '', 'x', 0, -1, 2 ** 53, [], {}, [1], '../config.json', 'config.json'),
  fc.jsonValue({ maxDepth: 2 }),
);

/** How a folder is given; over a network with a server of some kind. */
const ways: ((files: Files, ranges: boolean, head: boolean, breaksAfter: number) => Promise<Checkpoint>)[] = [
  (files) => readCheckpoint(filesOf(files)),
  (files) => readCheckpoint(filesOf(files, '')),
  (files) => readCheckpoint(handleOf(files)),
  (files) => readCheckpoint(dropOf(files)),
  (files, ranges, head, breaksAfter) =>
    readCheckpoint(ADDRESS, { fetch: serverOf(files, { ranges, head, breaksAfter, chunk: 4096 }).fetch }),
];

/** Reads, opens and uses a folder; it may be refused with an error of the library. */
async function open(read: () => Promise<Checkpoint>): Promise<boolean> {
  let model;
  try {
    model = await openModel({ ...(await read()), attention });
    model.forward([[1, 2]]);
    return true;
  } catch (error) {
    const { name, message } = error as Error;
    expect(['RangeError', 'TypeError']).toContain(name);
    expect(message).toMatch(/^(readCheckpoint|openModel): expected /);
    return false;
  } finally {
    model?.dispose();
  }
}

beforeAll(async () => {
  for (const files of folders)
    for (const way of ways) expect(await open(() => way(files, true, true, Infinity))).toBe(true);
});

/** A folder in which something is wrong. */
const broken = fc
  .record({
    files: fc.constantFrom(...folders),
    dropped: fc.array(fc.nat(), { maxLength: 1 }),
    replaced: fc.array(fc.tuple(fc.nat(), strange), { maxLength: 1 }),
    fields: fc.array(fc.tuple(fc.nat(), fc.nat(), strange), { maxLength: 2 }),
    cut: fc.array(fc.tuple(fc.nat(), fc.nat(40)), { maxLength: 1 }),
    bytes: fc.array(fc.tuple(fc.nat(), fc.nat(3000), fc.nat(255)), { maxLength: 1 }),
    twice: fc.constantFrom('', '', 'a/config.json', 'a/model.safetensors'),
    extra: fc.constantFrom('', 'generation_config.json', 'modules.json', 'tokenizer.json', 'preprocessor_config.json'),
    content: fc.oneof(
      strange,
      fc.array(fc.record({ idx: fc.nat(3), type: fc.constantFrom(...modules), path: fc.constantFrom('', 'a', '..') })),
    ),
  })
  .map(({ files, dropped, replaced, fields, cut, bytes, twice, extra, content }) => {
    const made: Files = { ...files };
    const pick = (i: number): string => Object.keys(made)[i % Object.keys(made).length] ?? 'config.json';
    if (extra !== '') made[extra] = json(content);
    if (twice !== '') made[twice] = json({});
    for (const [i, value] of replaced) made[pick(i)] = json(value);
    for (const [i, field, value] of fields) {
      const name = ['config.json', 'model.safetensors.index.json'][i % 2]!;
      if (!files[name]) continue;
      const object = JSON.parse(new TextDecoder().decode(files[name])) as Record<string, unknown>;
      const map = (object.weight_map ?? object) as Record<string, unknown>;
      const keys = Object.keys(map);
      if (field % 5 === 0) Reflect.deleteProperty(map, keys[field % keys.length]!);
      else map[keys[field % keys.length]!] = value;
      made[name] = json(object);
    }
    for (const [i, count] of cut) made[pick(i)] = made[pick(i)]!.slice(0, -count);
    for (const [i, at, byte] of bytes) {
      const copy = made[pick(i)]!.slice();
      copy[at % copy.length] = byte;
      made[pick(i)] = copy;
    }
    for (const i of dropped) Reflect.deleteProperty(made, pick(i));
    return made;
  });

test('folders in which files, fields and bytes are wrong', async () => {
  let [opened, refused] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      broken,
      fc.nat(ways.length - 1),
      fc.boolean(),
      fc.boolean(),
      fc.oneof({ weight: 4, arbitrary: fc.constant(Infinity) }, fc.nat(50_000)),
      async (files, way, ranges, head, breaksAfter) => {
        const live = allocator.liveBytes;
        if (await open(() => ways[way]!(files, ranges, head, breaksAfter))) opened += 1;
        else refused += 1;
        expect(allocator.liveBytes).toBe(live);
      },
    ),
    { numRuns: 1500 },
  );
  expect(opened).toBeGreaterThan(100);
  expect(refused).toBeGreaterThan(500);
});

test('openings that are aborted at any request, read or tensor', async () => {
  const reason = new Error('enough');
  let aborted = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...folders), fc.boolean(), fc.nat(60), async (files, ranges, at) => {
      const live = allocator.liveBytes;
      const controller = new AbortController();
      const { signal } = controller;
      let count = 0;
      const step = (): void => {
        if (count++ === at) controller.abort(reason);
      };
      const server = serverOf(files, { ranges, chunk: 2000 });
      const request: typeof fetch = (...args) => {
        step();
        return server.fetch(...args);
      };
      try {
        const found = await readCheckpoint(ADDRESS, { fetch: request, signal });
        (await openModel({ ...found, attention, signal, onProgress: step })).dispose();
      } catch (error) {
        expect(error).toBe(reason);
        aborted += 1;
      }
      expect(allocator.liveBytes).toBe(live);
    }),
    { numRuns: 300 },
  );
  expect(aborted).toBeGreaterThan(100);
});

test('files that are not what they say', async () => {
  const [files] = folders;
  const bytes = files!['model.safetensors']!;
  const liars = fc.record({
    name: fc.constantFrom<unknown>(undefined, 'model.safetensors', 7),
    size: fc.constantFrom<unknown>(bytes.length, bytes.length - 1, bytes.length + 1, 0, 7, NaN, -1, '9', 2 ** 60),
    given: fc.constantFrom('right', 'short', 'long', 'nothing', 'text', 'throws'),
  });
  await fc.assert(
    fc.asyncProperty(liars, async ({ name, size, given }) => {
      const live = allocator.liveBytes;
      const slice = (start: number, end: number): unknown => ({
        arrayBuffer: async () => {
          await Promise.resolve();
          if (given === 'throws') throw new Error('no');
          if (given === 'nothing') return undefined;
          if (given === 'text') return 'text';
          return bytes.slice(start, end + { right: 0, short: -1, long: 1 }[given as 'right']).buffer;
        },
      });
      const file = { name, size, slice, stream: () => new Blob([bytes]).stream() };
      const isOpen = await open(() =>
        Promise.resolve({
          config: checkpoint('gpt2').config,
          weights: [file as never],
        }),
      );
      expect(isOpen).toBe(given === 'right' && size === bytes.length);
      expect(allocator.liveBytes).toBe(live);
    }),
    { numRuns: 300 },
  );
});
