/** What hooks see inside of blocks, against other implementations and against float64. */
import { describe, expect, test } from '@jest/globals';
import type { Tensor } from 'wasm-attention';
import type { Model, ModelForwardOptions, ModelHooks } from 'wasm-attention/models';
import { ACTIVATIONS } from '../reference/feedForward.js';
import { layerNorm } from '../reference/layerNorm.js';
import { linear } from '../reference/linear.js';
import { rmsNorm } from '../reference/rmsNorm.js';
import type { Numbers } from '../reference/tensor.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { checkpoint, checkpoints, FileWeights, open } from './fixtures.js';

/** What stands at the places of these names. */
function seen(model: Model, ids: number[][], names: readonly string[], options: ModelForwardOptions = {}) {
  const found: Record<string, Tensor> = {};
  const hooks: ModelHooks = {};
  for (const name of names) hooks[name] = (value) => void (found[name] = value);
  model.forward(ids, { ...options, hooks });
  return found;
}

const rowsOf = ({ data, shape }: Numbers): Numbers => ({ data, shape: [data.length / shape.at(-1)!, shape.at(-1)!] });

describe.each(checkpoints.map(checkpointWithHooks).filter(({ hooks }) => hooks.length > 0))('$name', (each) => {
  test.each(each.hooks)('%s agrees with PyTorch', async (name) => {
    const { expected, tensors } = each;
    const model = await open(each);
    const options = {
      attentionMask: expected.attentionMask,
      ...(expected.tokenTypes && { tokenTypes: expected.tokenTypes }),
    };
    const actual = seen(model, expected.ids, [name], options)[name]!;
    const wanted = tensors[`hooks.${name}`]!;
    expect(actual.shape).toEqual(wanted.shape);
    const perToken = wanted.data.length / expected.attentionMask.flat().length;
    // What stands at padding is undefined.
    const isToken = (_: number, i: number): boolean => expected.attentionMask.flat()[Math.floor(i / perToken)] === 1;
    const kept = ({ data }: Tensor): Numbers => {
      const tokens = data.filter(isToken);
      return { data: tokens, shape: [tokens.length] };
    };
    // The fixtures' own tolerance.
    expectClose(kept(actual), kept(wanted), { atol: 1e-5, rtol: 1e-5 });
    model.dispose();
  });
});

function checkpointWithHooks(name: string) {
  const found = checkpoint(name);
  const hooks = Object.keys(found.tensors).filter((tensor) => tensor.startsWith('hooks.'));
  return { name, ...found, hooks: hooks.map((tensor) => tensor.slice('hooks.'.length)) };
}

describe.each(checkpoints)('in %s', (name) => {
  const files = checkpoint(name);
  const weights = new FileWeights(files);
  const a = weights.architecture;
  const { ids } = files.expected;
  const [wide, inner] = [a.heads * a.headDim, a.gated ? 2 * a.ffnHiddens : a.ffnHiddens];

  const normOf = (x: Numbers, module: string): Numbers => {
    const plus = a.normWeight === 'plusOne' ? 1 : 0;
    const shape = [a.hiddens];
    const weight = { data: weights.vector(`${module}.weight`)!.map((w) => w + plus), shape };
    const bias = a.bias.norm ? { data: weights.vector(`${module}.bias`)!, shape } : undefined;
    return a.norm === 'layer' ? layerNorm(rowsOf(x), a.eps, weight, bias) : rmsNorm(rowsOf(x), a.eps, weight);
  };

  /** Each output is a sum of this many terms of size 1 to 10. */
  const near = (actual: Tensor | undefined, expected: Numbers, terms: number): void =>
    expectClose(rowsOf(actual!), rowsOf(expected), { atol: terms * EPS * Math.max(1, maxAbs(expected.data)) });

  test.each(a.groups.map((group, i) => [i, group]))(
    'what stands in block %i is what float64 gives',
    async (i, group) => {
      const model = await open(files);
      const { norm1, norm2, outputNorm, up, output } = a.names.layer(group);
      const at = (hook: string): string => `blocks.${i}.${hook}`;
      const isPost = a.order === 'post';
      const isParallel = a.order === 'parallel';
      const [before1, before2] = isPost
        ? ['hook_resid_mid', 'hook_resid_post']
        : ['hook_resid_pre', isParallel ? 'hook_resid_pre' : 'hook_resid_mid'];
      const hasNorm1 = norm1 !== undefined;
      const hasNorm2 = norm2 !== undefined;
      const found = seen(
        model,
        ids,
        [
          'attn.hook_z',
          'attn.hook_result',
          'hook_attn_out',
          'mlp.hook_pre',
          ...(a.gated ? ['mlp.hook_pre_linear'] : []),
          'mlp.hook_post',
          before1,
          before2,
          ...(hasNorm1 ? ['ln1.hook_normalized'] : []),
          ...(hasNorm2 ? ['ln2.hook_normalized'] : []),
        ].map(at),
      );
      const get = (hook: string): Tensor => found[at(hook)]!;

      if (hasNorm1) near(get('ln1.hook_normalized'), normOf(get(before1), norm1), 64);
      if (hasNorm2) near(get('ln2.hook_normalized'), normOf(get(before2), norm2), 64);

      // What the feed-forward reads.
      const fed = isPost
        ? get('ln1.hook_normalized')
        : hasNorm2
          ? get('ln2.hook_normalized')
          : isParallel
            ? get('ln1.hook_normalized')
            : get(before2);
      const upBias = a.bias.up ? weights.rows(up, 'bias', inner, a.hiddens) : undefined;
      const pre = linear(rowsOf(fed), weights.rows(up, 'weight', inner, a.hiddens), upBias);
      const columns = (from: number): Numbers => {
        const data = pre.data.filter((_, at) => at % inner >= from && at % inner < from + a.ffnHiddens);
        return { data, shape: [data.length / a.ffnHiddens, a.ffnHiddens] };
      };
      near(get('mlp.hook_pre'), columns(0), 8 * a.hiddens);
      if (a.gated) near(get('mlp.hook_pre_linear'), columns(a.ffnHiddens), 8 * a.hiddens);
      const [f] = ACTIVATIONS[a.activation as keyof typeof ACTIVATIONS];
      const value = a.gated ? get('mlp.hook_pre_linear').data : undefined;
      const post = get('mlp.hook_pre').data.map((x, at) => f(x) * (value?.[at] ?? 1));
      near(get('mlp.hook_post'), { data: post, shape: get('mlp.hook_pre').shape }, 16);

      // Each head's columns of the output map.
      const map = weights.rows(output, 'weight', a.hiddens, wide).data;
      const z = get('attn.hook_z');
      const [batch, heads, tokens, width] = z.shape as [number, number, number, number];
      const results = new Float64Array(batch * tokens * heads * a.hiddens);
      const sums = new Float64Array(batch * tokens * a.hiddens);
      const bias = a.bias.output ? weights.rows(output, 'bias', a.hiddens, wide).data : undefined;
      let to = 0;
      for (let b = 0; b < batch; ++b) {
        for (let t = 0; t < tokens; ++t) {
          const row = (b * tokens + t) * a.hiddens;
          if (bias) sums.set(bias, row);
          for (let h = 0; h < heads; ++h) {
            const from = ((b * heads + h) * tokens + t) * width;
            for (let d = 0; d < a.hiddens; ++d, ++to) {
              let sum = 0;
              for (let e = 0; e < width; ++e) sum += z.data[from + e]! * map[d * wide + h * width + e]!;
              results[to] = sum;
              sums[row + d]! += get('attn.hook_result').data[to]!;
            }
          }
        }
      }
      expect(get('attn.hook_result').shape).toEqual([batch, tokens, heads, a.hiddens]);
      near(get('attn.hook_result'), { data: results, shape: [batch, tokens, heads, a.hiddens] }, 8 * width);
      const whole = { data: sums, shape: [batch, tokens, a.hiddens] };
      const normed = outputNorm === undefined ? whole : normOf(whole, outputNorm);
      const out = { data: Array.from(normed.data, (x) => x * (a.residualScale ?? 1)), shape: whole.shape };
      expectClose(get('hook_attn_out'), out, { atol: 1e-5 });
      model.dispose();
    },
  );
});
