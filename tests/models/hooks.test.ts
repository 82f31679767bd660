/** Hooks read and replace tensors; heads are ablated; positions are changed. */
import { describe, expect, test } from '@jest/globals';
import type { Tensor } from 'wasm-attention';
import type { MatrixType, Model, ModelHooks, ModelResult, WeightType } from 'wasm-attention/models';
import { EPS } from '../support/close.js';
import { attention } from '../support/library.js';
import { checkpoint, checkpoints, FileWeights, open, stories } from './fixtures.js';

const distance = (a: Tensor, b: Tensor): number => {
  expect(a.shape).toEqual(b.shape);
  return a.data.reduce((most, x, i) => Math.max(most, Math.abs(x - b.data[i]!)), 0);
};
/** The bits of hidden states and logits. */
const bitsOf = ({ hidden, logits }: Pick<ModelResult, 'hidden' | 'logits'>): Int32Array =>
  Int32Array.from([hidden, logits ?? hidden].flatMap(({ data }) => Array.from(new Int32Array(data.buffer))));

describe.each(checkpoints)('in %s', (name) => {
  const { expected, ...files } = checkpoint(name);
  const { ids } = expected;
  const [batch, tokens] = [ids.length, ids[0]!.length];
  const { order, gated, hiddens, ffnHiddens, groups, names } = new FileWeights(files).architecture;

  test('hooks see every tensor in its shape and in order, and returning them changes no bit', async () => {
    const model = await open(files);
    const heads = [batch, model.numHeads, tokens];
    const rows = [batch, tokens, model.numHiddens];
    const seen: string[] = [];
    const units = [batch, tokens, ffnHiddens];
    const shapes: Record<string, (number | undefined)[]> = {
      hook_resid_pre: rows,
      ...(order !== 'post' && { 'ln1.hook_normalized': rows }),
      'attn.hook_q': [...heads, undefined],
      'attn.hook_k': [batch, undefined, tokens, undefined],
      'attn.hook_v': [batch, undefined, tokens, undefined],
      'attn.hook_rot_q': [...heads, undefined],
      'attn.hook_rot_k': [batch, undefined, tokens, undefined],
      'attn.hook_attn_scores': [...heads, tokens],
      'attn.hook_pattern': [...heads, tokens],
      'attn.hook_z': [...heads, undefined],
      'attn.hook_result': [batch, tokens, model.numHeads, hiddens],
      hook_attn_out: rows,
      ...(order !== 'parallel' && { hook_resid_mid: rows }),
      ...(order === 'post' ? { 'ln1.hook_normalized': rows } : { 'ln2.hook_normalized': rows }),
      'mlp.hook_pre': units,
      ...(gated && { 'mlp.hook_pre_linear': units }),
      'mlp.hook_post': units,
      hook_mlp_out: rows,
      hook_resid_post: rows,
      ...(order === 'post' && { 'ln2.hook_normalized': rows, hook_normalized_resid_post: rows }),
    };
    const has = (i: number, hook: string): boolean => {
      const norm = { 'ln1.hook_normalized': 'norm1', 'ln2.hook_normalized': 'norm2' }[hook] as 'norm1' | undefined;
      return norm === undefined || names.layer(groups[i]!)[norm] !== undefined;
    };
    const hooks: ModelHooks = {};
    for (const [hook, shape] of Object.entries(shapes)) {
      for (let i = 0; i < model.numLayers; ++i) {
        if (!has(i, hook)) continue;
        hooks[`blocks.${i}.${hook}`] = (value) => {
          seen.push(`${i} ${hook}`);
          value.shape.forEach((axis, j) => expect(axis).toBe(shape[j] ?? axis));
          expect(value.data.length).toBe(value.shape.reduce((a, b) => a * b, 1));
          return value;
        };
      }
    }
    expect(bitsOf(model.forward(ids, { hooks }))).toEqual(bitsOf(model.forward(ids)));
    const inOrder = Array.from({ length: model.numLayers }, (_, i) =>
      Object.keys(shapes).flatMap((hook) => (has(i, hook) ? [`${i} ${hook}`] : [])),
    );
    expect(seen).toEqual(inOrder.flat());
    // Each alone, too, which takes other steps.
    const plain = bitsOf(model.forward(ids));
    const different = Object.entries(hooks).filter(
      ([name, hook]) => bitsOf(model.forward(ids, { hooks: { [name]: hook } })).join() !== plain.join(),
    );
    expect(different).toEqual([]);
    model.dispose();
  });

  test('a tensor that a hook returns takes effect', async () => {
    const model = await open(files);
    const plain = model.forward(ids).hidden;
    const half: ModelHooks[string] = ({ data, shape }) => ({
      data: data.map((x, i) => x * (1 + 0.5 * Math.sin(i))),
      shape,
    });
    const shared = ['hook_q', 'hook_k', 'hook_v', 'hook_rot_q', 'hook_rot_k', 'hook_pattern', 'hook_z', 'hook_result'];
    const all = [
      ...shared.map((hook) => `attn.${hook}`),
      ...['hook_pre', 'hook_post', ...(gated ? ['hook_pre_linear'] : [])].map((hook) => `mlp.${hook}`),
      ...(names.layer(0).norm1 === undefined ? [] : ['ln1.hook_normalized']),
      ...(names.layer(0).norm2 === undefined ? [] : ['ln2.hook_normalized']),
    ];
    const without = all.filter((hook) => {
      const { hidden } = model.forward(ids, { hooks: { [`blocks.0.${hook}`]: half } });
      return !(distance(hidden, plain) > 1e-4);
    });
    expect(without).toEqual([]);
    model.dispose();
  });

  test('a tensor in place of a hook is what a hook returns', async () => {
    const model = await open(files);
    const { [`blocks.1.hook_resid_pre`]: stream } = model.activations(ids, ['blocks.1.hook_resid_pre']);
    const other = { data: stream!.data.map((x, i) => x + Math.sin(i)), shape: stream!.shape };
    const replaced = bitsOf(model.forward(ids, { hooks: { 'blocks.1.hook_resid_pre': other } }));
    expect(replaced).toEqual(bitsOf(model.forward(ids, { hooks: { 'blocks.1.hook_resid_pre': () => other } })));
    expect(replaced).not.toEqual(bitsOf(model.forward(ids)));
    model.dispose();
  });

  test('results of heads that a hook replaces are summed', async () => {
    const model = await open(files);
    const { hidden } = model.forward(ids, { ablate: [[0, 1]] });
    const heads = model.numHeads;
    const zero: ModelHooks = {
      'blocks.0.attn.hook_result': ({ data, shape }) => ({
        data: data.map((x, i) => (Math.floor(i / hiddens) % heads === 1 ? 0 : x)),
        shape,
      }),
    };
    // Hidden states are of size 1 to 4, and the effect of a rounding goes through two layers.
    expect(distance(model.forward(ids, { hooks: zero }).hidden, hidden)).toBeLessThan(64 * EPS);
    model.dispose();
  });

  test('ablating neurons makes their activations zero', async () => {
    const model = await open(files);
    const neurons = [0, 3, ffnHiddens - 1];
    const seen: Tensor[] = [];
    const zero: ModelHooks[string] = ({ data, shape }) => {
      neurons.forEach((neuron) => {
        for (let i = neuron; i < data.length; i += ffnHiddens) data[i] = 0;
      });
      return { data, shape };
    };
    const ablateNeurons = neurons.map((neuron) => [0, neuron] as const);
    const hooks = { 'blocks.0.mlp.hook_post': (value: Tensor) => void seen.push(value) };
    const result = model.forward(ids, { ablateNeurons, hooks });
    expect(bitsOf(result)).toEqual(bitsOf(model.forward(ids, { ablateNeurons })));
    expect(bitsOf(result)).toEqual(bitsOf(model.forward(ids, { hooks: { 'blocks.0.mlp.hook_post': zero } })));
    expect(distance(result.hidden, model.forward(ids).hidden)).toBeGreaterThan(1e-4);
    for (const neuron of neurons)
      expect(seen[0]!.data.filter((x, i) => i % ffnHiddens === neuron && x !== 0)).toEqual(new Float32Array(0));
    // Without neurons only the last bias is left.
    let out: Tensor | undefined;
    const all = Array.from({ length: ffnHiddens }, (_, neuron) => [1, neuron] as const);
    model.forward(ids, { ablateNeurons: all, hooks: { 'blocks.1.hook_mlp_out': (value) => void (out = value) } });
    expect(out!.data).toEqual(out!.data.map((_, i) => out!.data[i % hiddens]!));
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

/** Hooks for all places, which return what they see. */
function identities(model: Model): ModelHooks {
  const names = Object.keys(model.activations([5], /./));
  return Object.fromEntries(names.map((name) => [name, (value) => value]));
}

describe('returning every tensor of a pass changes no bit', () => {
  const long = Array.from({ length: 300 }, (_, i) => 1 + ((i * 37) % 500));
  const types: (MatrixType | undefined)[] = [undefined, 'float16', 'int8', 'int8-fine'];

  test.each(types)('with weights of type %s, of texts of any length', async (weightType) => {
    const model = await open(stories, { weightType: weightType ?? 'float32' });
    const hooks = identities(model);
    for (const length of [1, 2, 129, 300]) {
      const ids = [long.slice(0, length)];
      expect(bitsOf(model.forward(ids, { hooks }))).toEqual(bitsOf(model.forward(ids)));
      const ablated = { ablateNeurons: [[1, 7]], ablate: [[2, 3]] } as const;
      expect(bitsOf(model.forward(ids, { ...ablated, hooks }))).toEqual(bitsOf(model.forward(ids, ablated)));
    }
    model.dispose();
  });

  test.each<[string, WeightType]>([
    ['llama-grouped', 'float32'],
    ['gpt2', 'float32'],
    ['bloom', 'float32'],
    ['gemma2', 'float16'],
    ['gemma3', 'int8'],
    ['mistral-window', 'int8'],
    ['phi', 'float32'],
  ])('of %s with a cache of %s and padded rows', async (name, cacheType) => {
    const { expected, ...files } = checkpoint(name);
    const model = await open(files);
    const hooks = identities(model);
    const rows = [expected.ids[0]!.slice(0, 6), [3, 4, ...expected.ids[0]!.slice(0, 4)]];
    const run = (options: { hooks?: ModelHooks }): Int32Array[] => {
      const cache = model.createCache({ batch: 2, maxLength: 12, cacheType });
      const mask = [
        [1, 1, 1, 1, 1, 1],
        [0, 0, 1, 1, 1, 1],
      ];
      const results = [bitsOf(model.forward(rows, { cache, attentionMask: mask, ...options }))];
      for (const token of [7, 9]) {
        for (const row of mask) row.push(1);
        results.push(bitsOf(model.forward([[token], [token + 1]], { cache, attentionMask: mask, ...options })));
      }
      cache.dispose();
      return results;
    };
    expect(run({ hooks })).toEqual(run({}));
    model.dispose();
  });
});

test('neurons are ablated in texts that are generated, as by a hook', async () => {
  const model = await open(stories);
  const write = async (options: object): Promise<number[]> => {
    const text: number[] = [];
    for await (const id of model.generate([1], { maxTokens: 40, ...options })) text.push(id);
    return text;
  };
  const neurons = Array.from({ length: 60 }, (_, neuron) => neuron);
  const zero: ModelHooks[string] = ({ data, shape }) => {
    const width = shape.at(-1)!;
    return { data: data.map((x, i) => (i % width < neurons.length ? 0 : x)), shape };
  };
  const written = await write({ ablateNeurons: neurons.map((neuron) => [2, neuron]) });
  expect(written).toEqual(await write({ hooks: { 'blocks.2.mlp.hook_post': zero } }));
  expect(written).not.toEqual(await write({}));
  expect(written).not.toEqual(await write({ ablateNeurons: neurons.map((neuron) => [3, neuron]) }));
  model.dispose();
});
