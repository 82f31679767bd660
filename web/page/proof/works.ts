import type { WasmAttention } from 'wasm-attention';
import { openModel } from 'wasm-attention/models';
import { readSafetensors } from 'wasm-attention/safetensors';
import { files as story } from '../../elements/story-model.js';
import { encoder, head } from './javascript.js';
import type { PrepareOrt } from './ort.js';
import { greedy, llama, product, transpose } from './peers.js';
import { attentionInputs, encoderModel, productInputs } from './problems.js';
import { ENCODER, HEAD_WIDTH, HEADS, SIZE, STORY, TOKENS, TYPES, type Side, type Type, type Work } from './results.js';

/** What computes. */
export interface Hosts {
  readonly one: WasmAttention;
  /** Several threads, if there are. */
  readonly all: WasmAttention | undefined;
  readonly ort: PrepareOrt | undefined;
}

type Result = ArrayLike<number> | Promise<ArrayLike<number>>;

/** One way of computing a work. */
export interface Way {
  readonly type: Type;
  readonly side: Side;
  readonly run: () => Result;
}

/** A work on the library's instances, for each type. */
async function own(
  { one, all }: Hosts,
  types: readonly Type[],
  prepare: (library: WasmAttention, type: Type) => (() => Result) | Promise<() => Result>,
): Promise<Way[]> {
  const ways: Way[] = [];
  for (const type of types) {
    ways.push({ type, side: 'one', run: await prepare(one, type) });
    if (all) ways.push({ type, side: 'all', run: await prepare(all, type) });
  }
  return ways;
}

const inJavaScript = (run: () => Result): Way => ({ type: 'float32', side: 'javascript', run });

async function attention(hosts: Hosts): Promise<Way[]> {
  const shape = [1, HEADS, TOKENS, HEAD_WIDTH];
  const arrays = attentionInputs();
  const [query, key, value] = arrays;
  const tensors = arrays.map((data) => ({ data, shape }));
  const size = TOKENS * HEAD_WIDTH;
  const ways = await own(hosts, ['float32'], (library) => () => {
    const [q, k, v] = tensors;
    return library.scaledDotProductAttention(q!, k!, v!).output.data;
  });
  ways.push(
    inJavaScript(() => {
      const output = new Float32Array(query.length);
      for (let at = 0; at < query.length; at += size) {
        const [q, k, v] = arrays.map((x) => x.subarray(at, at + size)) as typeof arrays & Float32Array[];
        output.set(head(q, k, v, TOKENS, HEAD_WIDTH), at);
      }
      return output;
    }),
  );
  if (hosts.ort) {
    const params = { batch: 1, heads: HEADS, n: TOKENS, d: HEAD_WIDTH, causal: false };
    const feeds = { query: [query, shape], key: [key, shape], value: [value, shape] } as const;
    ways.push({ type: 'float32', side: 'ort', run: await hosts.ort({ kind: 'attention', params }, 'float32', feeds) });
  }
  return ways;
}

async function matrixProduct(hosts: Hosts): Promise<Way[]> {
  const { a, b } = productInputs();
  const weight = transpose(b, SIZE, SIZE);
  const shape = [SIZE, SIZE];
  const ways = await own(hosts, TYPES, (library, weightType) => {
    const layer = new library.Linear({ inFeatures: SIZE, outFeatures: SIZE, bias: false, weightType });
    layer.loadStateDict({ weight: { data: weight, shape } });
    return () => layer.forward({ data: a, shape }).output.data;
  });
  ways.push(inJavaScript(() => product(a, b, SIZE, SIZE, SIZE)));
  for (const type of hosts.ort ? TYPES : []) {
    const kind = type === 'int8' ? 'quantised' : 'matmul';
    const feeds = { a: [a, shape], ...(type === 'float32' && { b: [b, shape] as const }) } as const;
    const problem = { kind, params: { m: SIZE, k: SIZE, n: SIZE }, weight } as const;
    ways.push({ type, side: 'ort', run: await hosts.ort!(problem, type, feeds) });
  }
  return ways;
}

async function sentences(hosts: Hosts): Promise<Way[]> {
  const { config, tensors, ids } = encoderModel();
  const ways = await own(hosts, TYPES, async (library, weightType) => {
    const model = await openModel({ config, weights: tensors, attention: library, weightType });
    return () => model.forward(ids).hidden.data;
  });
  ways.push(inJavaScript(encoder(ENCODER, tensors, ids)));
  for (const type of hosts.ort ? TYPES : []) {
    const params = { ...ENCODER, ...(type === 'int8' && { weightType: type }) };
    const feeds = { ids: [BigInt64Array.from(ids, BigInt), [1, ids.length], 'int64'] } as const;
    ways.push({ type, side: 'ort', run: await hosts.ort!({ kind: 'encoder', params, tensors }, type, feeds) });
  }
  return ways;
}

async function decoding(hosts: Hosts): Promise<Way[]> {
  const weights = story.weights();
  const first = story.config.bos_token_id;
  const ways = await own(hosts, TYPES, async (library, weightType) => {
    const model = await openModel({ config: story.config, weights, attention: library, weightType });
    return async () => {
      const written: number[] = [];
      for await (const id of model.generate([first], { maxTokens: STORY.tokens })) written.push(id);
      return written;
    };
  });
  const forward = llama(story.config, readSafetensors(weights));
  ways.push(inJavaScript(() => greedy(forward, first, STORY.tokens)));
  return ways;
}

export const prepare: Readonly<Record<Work, (hosts: Hosts) => Promise<Way[]>>> = {
  attention,
  product: matrixProduct,
  encoder: sentences,
  decoding,
};
