import type { Architecture, LayerNames } from '../config/architecture.js';
import type { Store } from './store.js';
import type { LayerWeights } from './types.js';

export function layer(store: Store, a: Architecture, names: LayerNames): LayerWeights {
  const { hiddens, ffnHiddens, headDim, bias } = a;
  const [wide, narrow] = [a.heads * headDim, a.kvHeads * headDim];
  const headNorm = (name: string | undefined) =>
    name === undefined ? undefined : store.norm(name, headDim, bias.norm);
  return {
    query: store.linear(names.query, hiddens, wide, bias.qkv),
    key: store.linear(names.key, hiddens, narrow, bias.qkv),
    value: store.linear(names.value, hiddens, narrow, bias.qkv),
    output: store.linear(names.output, wide, hiddens, bias.output),
    up: store.linear(names.up, hiddens, a.gated ? 2 * ffnHiddens : ffnHiddens, bias.up),
    down: store.linear(names.down, ffnHiddens, hiddens, bias.down),
    norm1: store.norm(names.norm1, hiddens, bias.norm),
    norm2: store.norm(names.norm2, hiddens, bias.norm),
    queryNorm: headNorm(names.queryNorm),
    keyNorm: headNorm(names.keyNorm),
    sinks: names.sinks === undefined ? 0 : store.plain(names.sinks, [a.heads]),
  };
}
