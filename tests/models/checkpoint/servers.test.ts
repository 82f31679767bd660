/** Servers that answer requests for parts of a file in ways of their own. */
import { expect, test } from '@jest/globals';
import { openModel, readCheckpoint, type Checkpoint } from 'wasm-attention/models';
import { allocator, attention } from '../../fuzz/watched.js';
import { ADDRESS, json, published, serverOf } from './folders.js';

const files = published('bert-padded');
const bytes = files['model.safetensors']!;

/** The answer to a request for bytes [first, last], the how-manieth it is. */
type Answer = (first: number, last: number, count: number) => Response;

/** Reads the folder from a server that answers requests for weights so. */
function answering(answer: Answer): Promise<Checkpoint> {
  const { fetch: usual } = serverOf(files);
  let count = 0;
  return readCheckpoint(ADDRESS, {
    fetch: async (input, init) => {
      const range = new Headers(init?.headers).get('range') ?? '';
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
      if (first === undefined) return usual(input, init);
      return Promise.resolve(answer(Number(first), Number(last), count++));
    },
  });
}

async function hiddenOf(checkpoint: Checkpoint) {
  const model = await openModel({ ...checkpoint, attention });
  const { hidden } = model.forward([[3, 5, 7]]);
  model.dispose();
  return hidden;
}

const part = (first: number, until: number, headers: Record<string, string> = {}): Response => {
  const last = Math.min(until, bytes.length - 1);
  return new Response(bytes.slice(first, last + 1), {
    status: 206,
    headers: { 'content-range': `bytes ${first}-${last}/${bytes.length}`, ...headers },
  });
};
const whole = (body: Uint8Array<ArrayBuffer>[]): Response =>
  new Response(
    new ReadableStream({
      start(controller) {
        for (const piece of body) controller.enqueue(piece);
        controller.close();
      },
    }),
  );

test.each<[string, Answer]>([
  ['a smaller part than was asked for', (first) => part(first, first + 999)],
  [
    'a part for which the connection has to be made anew',
    (first, _, count) => {
      if (count % 2 === 0) throw new TypeError('fetch failed');
      return part(first, first + 999);
    },
  ],
  ['a part without its range', (first, last) => new Response(bytes.slice(first, last + 1), { status: 206 })],
  [
    'a part of a file of unknown size',
    (first, last) => part(first, last, { 'content-range': `bytes ${first}-${last}/*` }),
  ],
  ['the whole file in pieces, with empty ones', () => whole([bytes.slice(0, 9), new Uint8Array(0), bytes.slice(9)])],
  ['parts of one version', (first) => part(first, first + 999, { etag: '"a"' })],
  [
    'parts of versions that only mean the same',
    (first, _, count) => part(first, first + 999, { etag: `W/"${count}"` }),
  ],
])('%s is read', async (_, answer) => {
  expect(await hiddenOf(await answering(answer))).toEqual(await hiddenOf({ config: config(), weights: [file()] }));
});

const file = () => new File([bytes], 'model.safetensors');
const config = (): unknown => JSON.parse(new TextDecoder().decode(files['config.json']));
const size = `expected a file 'model.safetensors' of ${bytes.length} bytes, got ${bytes.length + 1}`;

test.each<[string, Answer, string]>([
  ['another part', (first, last) => part(first + 1, last), 'from byte 0 on, got bytes 1-'],
  [
    'another part of a file of unknown size',
    (first, last) => part(first + 1, last, { 'content-range': `bytes ${first + 1}-${last}/*` }),
    'from byte 0 on, got bytes 1-',
  ],
  [
    'a part that ends before it begins',
    (first) => part(first, first + 9, first > 0 ? { 'content-range': `bytes ${first}-9/${bytes.length}` } : {}),
    'from byte 10 on, got bytes 10-9',
  ],
  [
    'parts of two versions',
    (first, _, count) => part(first, first + 9, { etag: `"${count}"` }),
    `expected a file 'model.safetensors' that stays the same while it is read, got version "1"`,
  ],
  ['a file that goes on in the last piece', () => whole([bytes.slice(0, 9), plus(bytes.slice(9))]), size],
  ['a file that goes on after the last piece', () => whole([bytes, new Uint8Array(0), new Uint8Array(1)]), size],
])('%s is refused', async (_, answer, message) => {
  const live = allocator.liveBytes;
  const error: unknown = await hiddenOf(await answering(answer)).catch((each: unknown) => each);
  expect(error).toBeInstanceOf(RangeError);
  expect((error as Error).message).toContain(message);
  expect(allocator.liveBytes).toBe(live);
});

const plus = (piece: Uint8Array<ArrayBuffer>) => new Uint8Array([...piece, 0]);

test.each(['data:,x', 'C:x', 'a?b#c', 'a%2Fb', 'a b'])("'%s' in an index is a file's name", async (name) => {
  const asked: URL[] = [];
  const index = json({ weight_map: { x: name } });
  const reading = readCheckpoint(`${ADDRESS}?key=1`, {
    fetch: async (input) => {
      const url = new URL(input as string);
      asked.push(url);
      const file = decodeURIComponent(url.pathname.replace('/model/', ''));
      const found = file === name ? bytes : { ...files, 'model.safetensors.index.json': index }[file];
      return Promise.resolve(found ? new Response(found) : new Response('', { status: 404 }));
    },
  });
  expect((await reading).weights).toMatchObject([{ name, size: bytes.length }]);
  for (const { origin, search } of asked) expect(origin + search).toBe('https://example.org?key=1');
});

test('a small file that never ends is refused by its name, and not read on', async () => {
  const piece = new Uint8Array(2 ** 20).fill(32);
  let [sent, isCancelled] = [0, false];
  const endless = new ReadableStream({
    pull(controller) {
      controller.enqueue(piece);
      // The test ends where it fails.
      if (++sent === 2 ** 9) controller.close();
    },
    cancel() {
      isCancelled = true;
    },
  });
  const { fetch: usual } = serverOf({ ...files, 'tokenizer.json': bytes });
  const reading = readCheckpoint(ADDRESS, {
    fetch: (input, init) =>
      (input as string).endsWith('tokenizer.json') ? Promise.resolve(new Response(endless)) : usual(input, init),
  });
  await expect(reading).rejects.toThrow('readCheckpoint: expected tokenizer.json of at most 268435456 bytes, got more');
  expect([sent <= 2 ** 8 + 2, isCancelled]).toEqual([true, true]);
});
