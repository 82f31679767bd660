/** Models in a worker whose files are read here. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openModel, readCheckpoint, type Checkpoint, type OpenModelOptions } from 'wasm-attention/models';
import { loadWorker, type AsyncWasmAttention } from 'wasm-attention/worker';
import { checkpoint } from '../models/fixtures.js';
import {
  ADDRESS,
  filesOf,
  fixture,
  published,
  serverOf,
  sharded,
  type ServerOptions,
} from '../models/checkpoint/folders.js';

const NAME = 'llama3-scaled-tied';
const { config, bytes, expected } = checkpoint(NAME);
let worker: AsyncWasmAttention;
beforeAll(async () => {
  worker = await loadWorker();
});
afterAll(() => worker.dispose());

const fetched = (options: ServerOptions = {}, files = published(NAME)): Promise<Checkpoint> =>
  readCheckpoint(ADDRESS, { fetch: serverOf(files, options).fetch });
const openThere = (given: Checkpoint, options: Partial<OpenModelOptions> = {}) =>
  openModel({ ...given, ...options, attention: worker });

test('gives the same as from memory, with the same progress as here', async () => {
  const here = await openModel({ config, weights: bytes, weightType: 'int8' });
  const { hidden } = here.forward(expected.ids);
  const both: (() => Promise<Checkpoint>)[] = [
    () => readCheckpoint(filesOf(published(NAME))),
    () => readCheckpoint(filesOf(sharded(NAME, 3))),
    () => fetched(),
    () => fetched({ ranges: false, chunk: 999 }),
    () => fetched({}, sharded(NAME, 3)),
  ];
  for (const read of both) {
    const [there, local]: [number[][], number[][]] = [[], []];
    const note = (list: number[][]) => (done: number, total: number) => void list.push([done, total]);
    const model = await openThere(await read(), { weightType: 'int8', onProgress: note(there) });
    (await openModel({ ...(await read()), onProgress: note(local) })).dispose();
    expect((await model.forward(expected.ids)).hidden).toEqual(hidden);
    expect(there).toEqual(local);
    await model.dispose();
  }
  here.dispose();
});

test('opens a GGUF file, which it reads piece by piece', async () => {
  const gguf = new Uint8Array(fixture('gguf/llama-q8_0/model.gguf'));
  const here = await openModel({ weights: gguf, weightType: 'int8' });
  const { hidden } = here.forward([3, 5, 7]);
  const ways: (() => Promise<Checkpoint>)[] = [
    () => readCheckpoint(new File([gguf], 'x.gguf')),
    () => readCheckpoint(`${ADDRESS}/x.gguf`, { fetch: serverOf({ 'x.gguf': gguf }).fetch }),
    () => readCheckpoint(`${ADDRESS}/x.gguf`, { fetch: serverOf({ 'x.gguf': gguf }, { ranges: false }).fetch }),
    () => Promise.resolve({ weights: [gguf] as never }),
  ];
  for (const read of ways) {
    const model = await openThere(await read(), { weightType: 'int8' });
    expect((await model.forward([3, 5, 7])).hidden).toEqual(hidden);
    expect(model.family).toBe('llama');
    await model.dispose();
  }
  await expect(openThere({ weights: [new File([gguf.slice(0, 900)], 'x.gguf')] })).rejects.toThrow(/in 'x.gguf', got/);
  here.dispose();
});

test('a config that is refused there is refused before a byte of weights is fetched', async () => {
  const { fetch: own, asked } = serverOf(published(NAME));
  const found = await readCheckpoint(ADDRESS, { fetch: own });
  const before = asked.length;
  await expect(openThere({ ...found, config: {} })).rejects.toThrow(/config\.model_type/);
  expect(asked).toHaveLength(before);
});

test('a file that cannot be read is named, with its cause', async () => {
  const error: unknown = await openThere(await fetched({ breaksAfter: 4000 })).catch((each: unknown) => each);
  expect(error).toMatchObject({
    name: 'RangeError',
    message: "openModel: expected a file 'model.safetensors' that can be read, got the line broke",
    cause: { message: 'the line broke' },
  });
});

test('an error of onProgress ends the opening there as here', async () => {
  const error = new Error('of the caller');
  let calls = 0;
  const onProgress = (): void => {
    calls += 1;
    throw error;
  };
  const read: (() => Promise<Checkpoint>)[] = [
    () => fetched(),
    async () => Promise.resolve({ config, weights: [bytes] } as unknown as Checkpoint),
  ];
  for (const each of read) {
    for (const open of [openThere, openModel])
      await expect(open({ ...(await each()), onProgress })).rejects.toBe(error);
  }
  expect(calls).toBe(4);
  const model = await openThere(await fetched());
  expect((await model.forward([1])).hidden.shape[1]).toBe(1);
  await model.dispose();
});

describe('an abort ends the opening with its reason, and keeps the worker', () => {
  const reason = new Error('enough');
  const expectUsable = async (): Promise<void> => {
    const model = await openThere(await fetched());
    const [first] = (await model.forward([1])).hidden.shape;
    expect(first).toBe(1);
    await model.dispose();
  };

  test.each([
    ['from an address', () => fetched({ chunk: 500 })],
    ['from memory', async () => Promise.resolve({ config, weights: [bytes] } as unknown as Checkpoint)],
  ])('%s, after any report of progress', async (_, read) => {
    let aborted = 0;
    for (let at = 0; at < 40; at += 3) {
      const controller = new AbortController();
      const { signal } = controller;
      let count = 0;
      const onProgress = (): void => {
        if (count++ === at) controller.abort(reason);
      };
      await openThere(await read(), { signal, onProgress }).then(
        (model) => model.dispose(),
        (error: unknown) => {
          expect(error).toBe(reason);
          aborted += 1;
        },
      );
    }
    expect(aborted).toBeGreaterThan(3);
    await expectUsable();
  });

  test('while it waits for another call, and before', async () => {
    const controller = new AbortController();
    const call = worker.matmul([[1]], [[1]]);
    const opening = openThere(await fetched(), { signal: controller.signal });
    controller.abort(reason);
    await expect(opening).rejects.toBe(reason);
    await call;
    await expect(openThere(await fetched(), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await expectUsable();
  });

  test('while a read never ends', async () => {
    const controller = new AbortController();
    const [weights] = (await fetched()).weights;
    const hung = {
      name: 'model.safetensors',
      size: weights!.size,
      slice: () => ({ arrayBuffer: () => new Promise<never>(() => undefined) }),
      stream: () => weights!.stream(),
    };
    setTimeout(() => controller.abort(reason), 20);
    await expect(openThere({ config, weights: [hung] }, { signal: controller.signal })).rejects.toBe(reason);
    await expectUsable();
  });
});
