/** Hooks, caches and ragged lists that interfere with a pass. */
import { describe, expect, test } from '@jest/globals';
import type { Tensor } from 'wasm-attention';
import type { Model, ModelCache, ModelForwardOptions, ModelHooks } from 'wasm-attention/models';
import { EPS, expectClose } from '../../support/close.js';
import { checkpoint, checkpoints, open } from '../fixtures.js';

const CLOSE = 64 * EPS;
const expectNear = (a: Tensor, b: Tensor): void => expectClose(a, b, { atol: CLOSE });
const llama = checkpoint('llama-grouped');
const ids = llama.expected.ids[0]!;

test('a batch may have more rows than a call may have arguments', async () => {
  const model = await open(checkpoint('distilbert'));
  const rows = Array<number[]>(150_000).fill([5]);
  const { hidden } = model.forward(rows, { positions: rows });
  expect(hidden.shape).toEqual([150_000, 1, 24]);
  expect(hidden.data.slice(-24)).toEqual(model.forward([5], { positions: [5] }).hidden.data);
  model.dispose();
});

describe('a hook', () => {
  test('that only writes into its argument changes nothing', async () => {
    const model = await open(llama);
    const plain = model.forward(ids);
    const hooks: ModelHooks = {};
    for (const name of ['hook_q', 'hook_attn_scores', 'hook_pattern', 'hook_z']) {
      hooks[`blocks.0.attn.${name}`] = ({ data, shape }) => {
        data.fill(NaN);
        (shape as number[])[0] = 7;
      };
    }
    expectNear(model.forward(ids, { hooks }).hidden, plain.hidden);
    model.dispose();
  });

  test.each<[string, (model: Model, cache: ModelCache) => void]>([
    [
      'truncates and fills it again',
      (model, cache) => {
        cache.truncate(2);
        model.forward([70, 69], { cache });
      },
    ],
    [
      'goes on and goes back',
      (model, cache) => {
        model.forward([70], { cache });
        cache.truncate(4);
      },
    ],
    ['resets it', (_, cache) => cache.reset()],
  ])('that uses the cache of its own pass is told so: it %s', async (_, tamper) => {
    const model = await open(llama);
    const cache = model.createCache({ maxLength: 16 });
    model.forward(ids.slice(0, 4), { cache });
    const hooks: ModelHooks = { 'blocks.1.hook_resid_pre': () => tamper(model, cache) };
    expect(() => model.forward(ids.slice(4, 6), { cache, hooks })).toThrow(TypeError);
    expect(() => model.forward(ids.slice(4, 6), { cache, hooks })).toThrow(/between passes, got a hook's call in one$/);
    cache.reset();
    expectNear(model.forward(ids.slice(0, 6), { cache }).hidden, model.forward(ids.slice(0, 6)).hidden);
    model.dispose();
  });

  test('that catches the error of a nested pass does not affect its own pass', async () => {
    const [model, other] = [await open(llama), await open(llama)];
    const plain = model.forward(ids).hidden;
    const failing: ModelHooks = { 'blocks.0.hook_mlp_out': () => ({ data: [1], shape: [1] }) as never };
    const { hidden } = model.forward(ids, {
      hooks: {
        'blocks.1.attn.hook_k': () => {
          expect(() => other.forward(ids, { hooks: failing })).toThrow(/to return a tensor of shape/);
          expect(() => model.forward(ids)).toThrow(TypeError);
          expect(() => model.forward([1000])).toThrow(RangeError);
        },
      },
    });
    expect(hidden).toEqual(plain);
    for (const each of [model, other]) each.dispose();
  });

  test.each([null, undefined, 'text', 7])('may throw anything: %s', async (thrown) => {
    const model = await open(llama);
    let caught: unknown = 'nothing';
    try {
      model.forward(ids, {
        hooks: {
          hook_embed: () => {
            throw thrown as unknown as Error;
          },
        },
      });
    } catch (error) {
      caught = error;
    }
    expect(caught).toBe(thrown);
    model.dispose();
  });

  test('with the names of two hooks is an error, even before they are used', async () => {
    const model = await open(llama);
    const names = ['blocks.0.attn.hook_attn_scores', 'blocks.0.attn.hook_pattern'];
    const both = { [names.join()]: () => undefined };
    expect(() => model.forward(ids, { hooks: both })).toThrow(TypeError);
    const seen: string[] = [];
    const hooks = Object.fromEntries(names.map((name) => [name, () => void seen.push(name)]));
    model.forward(ids, { hooks });
    expect(seen).toEqual(names);
    model.dispose();
  });

  test('with an unknown name is refused with the nearest name', async () => {
    const model = await open(llama);
    const nearest = [
      ['blocks.0.hook_patern', 'blocks.0.attn.hook_pattern'],
      ['blocks.1.attn.hook_Z', 'blocks.1.attn.hook_z'],
      ['hook_embd', 'hook_embed'],
      ['blocks.1.attn.hook_scores', 'blocks.1.attn.hook_attn_scores'],
    ] as const;
    for (const [name, wanted] of nearest) {
      const call = () => model.forward(ids, { hooks: { [name]: () => undefined } });
      expect(call).toThrow(TypeError);
      expect(call).toThrow(`forward: expected known hooks (the nearest is ${wanted}), got '${name}'`);
    }
    model.dispose();
  });
});

describe.each(checkpoints.filter((name) => checkpoint(name).expected.generate))('with a cache, %s', (name) => {
  const { expected, ...files } = checkpoint(name);
  const rows = [expected.ids[0]!.slice(0, 8), expected.ids[0]!.slice(0, 8).reverse()];

  test.each<[string, ModelForwardOptions]>([
    ['a window', { window: 3 }],
    [
      'heads put out',
      {
        ablate: [
          [1, 1],
          [0, 0],
        ],
      },
    ],
    ['no positions', { positions: 'none' }],
    [
      'hooks on scores and pattern',
      { hooks: { 'blocks.0.attn.hook_attn_scores': (s) => s, 'blocks.1.attn.hook_pattern': (p) => p } },
    ],
    ['weights', { needWeights: true }],
  ])('%s: in parts it computes what it computes at once', async (_, options) => {
    const model = await open(files);
    const whole = model.forward(rows, options);
    const cache = model.createCache({ batch: 2, maxLength: 9 });
    let at = 0;
    for (const size of [3, 1, 1, 2, 1]) {
      const part = model.forward(
        rows.map((row) => row.slice(at, at + size)),
        { ...options, cache },
      );
      for (let b = 0; b < 2; ++b) {
        const d = model.numHiddens;
        const rowsOf = (t: Tensor, first: number) => ({
          data: t.data.subarray(first * d, (first + size) * d),
          shape: [size, d],
        });
        expectNear(rowsOf(part.hidden, b * size), rowsOf(whole.hidden, 8 * b + at));
      }
      for (const [i, { data, shape }] of (part.weights ?? []).entries()) {
        const keys = at + size;
        expect(shape).toEqual([2, model.numHeads, size, keys]);
        data.forEach((x, j) => {
          const [head, t, s] = [Math.floor(j / keys / size), Math.floor(j / keys) % size, j % keys];
          expect(Math.abs(x - whole.weights![i]!.data[(head * 8 + at + t) * 8 + s]!)).toBeLessThan(CLOSE);
        });
      }
      at += size;
    }
    model.dispose();
  });
});

describe.each(checkpoints)('%s', (name) => {
  const { expected, config, bytes, architecture } = checkpoint(name);
  const ids = expected.ids[0]!.map((id) => Math.max(id, 2)).slice(0, 6);

  test('pads with a token of its vocabulary, whatever the config says', async () => {
    if (architecture.positions?.skipped !== undefined) return; // another padding id gives other positions
    const model = await open({ config, bytes });
    const rows = [ids, ids.slice(0, 2)];
    const plain = model.forward(rows).hidden.data.slice(0, 8 * model.numHiddens);
    model.dispose();
    for (const pad of [-1, null, 1_000_000, 2 ** 24 - 1]) {
      const other = await open({ config: { ...config, pad_token_id: pad }, bytes });
      expect(other.forward(rows).hidden.data.slice(0, 8 * other.numHiddens)).toEqual(plain);
      other.dispose();
    }
  });

  test('takes rows in typed arrays, and padding on the left', async () => {
    const model = await open({ config, bytes });
    const { hidden } = model.forward([ids, ids.slice(0, 2)]);
    expect(model.forward([Int32Array.from(ids), Uint8Array.from(ids.slice(0, 2))] as never).hidden).toEqual(hidden);
    expect(model.forward({ data: Uint16Array.from(ids), shape: [1, ids.length] }).hidden).toEqual(
      model.forward(ids).hidden,
    );
    // Padding on the left, with the positions of the text.
    const [front, short] = [3, ids.slice(0, 3)];
    const options: ModelForwardOptions = {
      attentionMask: [[0, 0, 0, 1, 1, 1]],
      ...((architecture.positions ?? architecture.rotary) && { positions: [[0, 0, 0, 0, 1, 2]] }),
    };
    const pad = ids.slice(0, front).reverse();
    const { hidden: left, weights } = model.forward([[...pad, ...short]], { ...options, needWeights: true });
    const d = model.numHiddens;
    expectNear({ data: left.data.slice(front * d), shape: [1, 3, d] }, model.forward(short).hidden);
    for (const { data } of weights!)
      data.forEach((x, i) => {
        if (i % 6 < front) expect(x).toBe(0);
      });
    // The same through hooks on scores, where padding rows see nothing.
    const hooks: ModelHooks = {};
    for (let i = 0; i < model.numLayers; ++i) hooks[`blocks.${i}.attn.hook_attn_scores`] = (scores) => scores;
    const hooked = model.forward([[...pad, ...short]], { ...options, hooks }).hidden;
    expectNear({ data: hooked.data.slice(front * d), shape: [1, 3, d] }, model.forward(short).hidden);
    const embedded = model.embed([[...pad, ...short]], { attentionMask: options.attentionMask! });
    expect(embedded.shape).toEqual([1, d]);
    expect(embedded.data.every(Number.isFinite)).toBe(true);
    model.dispose();
  });
});
