/** Hooks read and replace tensors; heads are ablated; positions are changed. */
import { describe, expect, test } from '@jest/globals';
import type { Tensor } from 'wasm-attention';
import type { ModelHooks } from 'wasm-attention/models';
import { EPS } from '../support/close.js';
import { attention } from '../support/library.js';
import { checkpoint, checkpoints, open } from './fixtures.js';

const distance = (a: Tensor, b: Tensor): number => {
  expect(a.shape).toEqual(b.shape);
  return a.data.reduce((most, x, i) => Math.max(most, Math.abs(x - b.data[i]!)), 0);
};
/** Hidden states are of size 1 to 4, and the effect of a rounding goes through two layers. */
const CLOSE = 64 * EPS;

describe.each(checkpoints)('in %s', (name) => {
  const { expected, ...files } = checkpoint(name);
  const { ids } = expected;
  const [batch, tokens] = [ids.length, ids[0]!.length];

  test('hooks see every tensor in its shape and in order, and returning them changes nothing', async () => {
    const model = await open(files);
    const heads = [batch, model.numHeads, tokens];
    const rows = [batch, tokens, model.numHiddens];
    const seen: string[] = [];
    const shapes: Record<string, (number | undefined)[]> = {
      hook_resid_pre: rows,
      'attn.hook_q': [...heads, undefined],
      'attn.hook_k': [batch, undefined, tokens, undefined],
      'attn.hook_v': [batch, undefined, tokens, undefined],
      'attn.hook_rot_q': [...heads, undefined],
      'attn.hook_rot_k': [batch, undefined, tokens, undefined],
      'attn.hook_attn_scores': [...heads, tokens],
      'attn.hook_pattern': [...heads, tokens],
      'attn.hook_z': [...heads, undefined],
      hook_attn_out: rows,
      hook_mlp_out: rows,
      hook_resid_post: rows,
    };
    const hooks: ModelHooks = {};
    for (const [hook, shape] of Object.entries(shapes)) {
      for (let i = 0; i < model.numLayers; ++i) {
        hooks[`blocks.${i}.${hook}`] = (value) => {
          seen.push(`${i} ${hook}`);
          value.shape.forEach((axis, j) => expect(axis).toBe(shape[j] ?? axis));
          expect(value.data.length).toBe(value.shape.reduce((a, b) => a * b, 1));
          return value;
        };
      }
    }
    const { hidden } = model.forward(ids, { hooks });
    expect(distance(hidden, model.forward(ids).hidden)).toBeLessThan(CLOSE);
    const order = Array.from({ length: model.numLayers }, (_, i) => Object.keys(shapes).map((hook) => `${i} ${hook}`));
    expect(seen).toEqual(order.flat());
    model.dispose();
  });

  test('a pattern that attends only to the token itself gives its own value', async () => {
    const model = await open(files);
    let value: Tensor | undefined;
    let z: Tensor | undefined;
    model.forward(ids, {
      hooks: {
        'blocks.1.attn.hook_v': (v) => void (value = v),
        'blocks.1.attn.hook_pattern': ({ shape }) => {
          const data = new Float32Array(batch * model.numHeads * tokens * tokens);
          for (let i = 0; i < data.length; i += tokens) data[i + ((i / tokens) % tokens)] = 1;
          return { data, shape };
        },
        'blocks.1.attn.hook_z': (mixed) => void (z = mixed),
      },
    });
    const [, heads, , width] = z!.shape as [number, number, number, number];
    const group = heads / value!.shape[1]!;
    const own = z!.data.map((_, i) => {
      const [e, t, head] = [i % width, Math.floor(i / width) % tokens, Math.floor(i / width / tokens)];
      const [b, h] = [Math.floor(head / heads), Math.floor((head % heads) / group)];
      return value!.data[((b * value!.shape[1]! + h) * tokens + t) * width + e]!;
    });
    expect(z!.data).toEqual(own);
    model.dispose();
  });

  test('changed scores go through the softmax', async () => {
    const model = await open(files);
    let scores: Tensor | undefined;
    let pattern: Tensor | undefined;
    model.forward(ids, {
      hooks: {
        'blocks.0.attn.hook_attn_scores': (given) => {
          scores = { data: given.data.map((x) => 2 * x), shape: given.shape };
          return scores;
        },
        'blocks.0.attn.hook_pattern': (given) => void (pattern = given),
      },
    });
    expect(distance(pattern!, attention.maskedSoftmax(scores!))).toBeLessThan(4 * EPS);
    model.dispose();
  });

  test('ablating a head makes its output zero', async () => {
    const model = await open(files);
    const zero: ModelHooks = {
      'blocks.1.attn.hook_z': ({ data, shape }) => {
        const [, heads, rows, width] = shape as [number, number, number, number];
        data.forEach((_, i) => {
          if (Math.floor(i / (rows * width)) % heads === 1) data[i] = 0;
        });
        return { data, shape };
      },
    };
    const { hidden } = model.forward(ids, { ablate: [[1, 1]] });
    expect(hidden).toEqual(model.forward(ids, { hooks: zero }).hidden);
    expect(distance(hidden, model.forward(ids).hidden)).toBeGreaterThan(0.01);
    // With all heads of a layer ablated, only attention's last bias is left.
    let out: Tensor | undefined;
    const all = Array.from({ length: model.numHeads }, (_, head) => [0, head] as const);
    model.forward(ids, { ablate: all, hooks: { 'blocks.0.hook_attn_out': (value) => void (out = value) } });
    const width = model.numHiddens;
    expect(out!.data).toEqual(out!.data.map((_, i) => out!.data[i % width]!));
    model.dispose();
  });

  // In post-norm families there is a norm after each sum.
  if (files.architecture.order !== 'post') {
    test('sublayers replaced by zeros leave the residual stream unchanged', async () => {
      const model = await open(files);
      const zeros = ({ data, shape }: Tensor): Tensor => ({ data: new Float32Array(data.length), shape });
      const stream: Tensor[] = [];
      const keep = (value: Tensor): void => void stream.push(value);
      model.forward(ids, {
        hooks: {
          'blocks.1.hook_resid_pre': keep,
          'blocks.1.hook_attn_out': zeros,
          'blocks.1.hook_mlp_out': zeros,
          'blocks.1.hook_resid_post': keep,
        },
      });
      expect(stream[1]).toEqual(stream[0]);
      model.dispose();
    });
  }
});
