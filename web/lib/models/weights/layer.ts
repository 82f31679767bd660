import type { Architecture } from '../config/architecture.js';
import type { LayerNames } from '../config/names.js';
import { columns, interleaved, part, type Part } from './parts.js';
import type { Store } from './store.js';
import type { Matrix } from '../../steps/steps.js';
import type { LayerWeights, NormWeights } from './types.js';

type Projections = Pick<LayerWeights, 'query' | 'key' | 'value' | 'output' | 'up' | 'down'>;

function projections(store: Store, a: Architecture, names: LayerNames): Projections {
  const { hiddens: d, ffnHiddens: f } = a;
  const [wide, narrow] = [a.heads * a.headDim, a.kvHeads * a.headDim];
  if (a.family === 'gpt2') {
    const some = (name: string, inputs: number, all: number, begin: number, count: number): Matrix =>
      store.matrix(
        inputs,
        [columns(`${name}.weight`, [inputs, all], inputs, begin, count)],
        [columns(`${name}.bias`, [all], 1, begin, count)],
      );
    return {
      query: some(names.query, d, 3 * d, 0, d),
      key: some(names.key, d, 3 * d, d, d),
      value: some(names.value, d, 3 * d, 2 * d, d),
      output: some(names.output, d, d, 0, d),
      up: some(names.up, d, f, 0, f),
      down: some(names.down, f, d, 0, d),
    };
  }
  const joined = (which: number): Matrix =>
    store.matrix(
      d,
      [interleaved(`${names.query}.weight`, [3 * wide, d], a, which, d)],
      a.bias.qkv ? [interleaved(`${names.query}.bias`, [3 * wide], a, which, 1)] : undefined,
    );
  const isJoined = a.family === 'gpt_neox';
  const { gate, up } = names;
  const both = (kind: 'weight' | 'bias', inputs: number): Part[] => {
    const shape = kind === 'weight' ? [f, inputs] : [f];
    return [gate!, up].map((name) => part(`${name}.${kind}`, shape, f, inputs));
  };
  return {
    query: isJoined ? joined(0) : store.linear(names.query, d, wide, a.bias.qkv),
    key: isJoined ? joined(1) : store.linear(names.key, d, narrow, a.bias.qkv),
    value: isJoined ? joined(2) : store.linear(names.value, d, narrow, a.bias.qkv),
    output: store.linear(names.output, wide, d, a.bias.output),
    up: a.gated
      ? store.matrix(d, both('weight', d), a.bias.ffn ? both('bias', 1) : undefined)
      : store.linear(up, d, f, a.bias.ffn),
    down: store.linear(names.down, f, d, a.bias.ffn),
  };
}

export function layer(store: Store, a: Architecture, names: LayerNames): LayerWeights {
  const hasBias = a.norm === 'layer';
  const headNorm = (name: string | undefined): NormWeights | undefined =>
    a.qkNorm ? store.norm(name!, a.headDim, false) : undefined;
  return {
    ...projections(store, a, names),
    norm1: store.norm(names.norm1, a.hiddens, hasBias),
    norm2: store.norm(names.norm2, a.hiddens, hasBias),
    queryNorm: headNorm(names.queryNorm),
    keyNorm: headNorm(names.keyNorm),
  };
}
