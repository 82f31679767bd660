/** onnxruntime-web's wasm backend, with JavaScript arrays in and out. */
import { libraries, readJson } from '../host.mjs';
import { decoderFeeds } from './ort-decoder.mjs';
import { graphOf } from './ort-graphs.mjs';

/** The inputs of each kind's graph: data and dims, by name. */
function feedsOf({ kind, params, inputs, cache, ids }) {
  switch (kind) {
    case 'quantised':
      return { a: [inputs.a, [params.m, params.k]] };
    case 'matmul':
      return { a: [inputs.a, [params.m, params.k]], b: [inputs.b, [params.k, params.n]] };
    case 'attention': {
      const dims = [params.batch, params.heads, params.n, params.d];
      return { query: [inputs.query, dims], key: [inputs.key, dims], value: [inputs.value, dims] };
    }
    case 'multiHead':
      return { x: [inputs.x, [params.batch, params.n, params.width]] };
    case 'decoding': {
      const dims = [1, params.heads, params.past, params.width / params.heads];
      return {
        token: [inputs.token, [1, 1, params.width]],
        pastKey: [cache.pastKey, dims],
        pastValue: [cache.pastValue, dims],
      };
    }
    case 'encoder':
      return { ids: [BigInt64Array.from(ids, BigInt), [params.batch, params.tokens], 'int64'] };
    case 'vision':
      return { pixels: [inputs.pixels, [params.batch, 3, params.side, params.side]] };
    case 'table':
      return { positions: [inputs.positions, [params.length]] };
    case 'addTable':
      return { x: [inputs.x, [params.batch, params.length, params.width]] };
    default:
      return { x: [inputs.x, [params.rows, params.cols]] };
  }
}

export async function open({ threads = 1 } = {}) {
  const ort = await libraries.ort(threads);
  // The first session loads the wasm for one thread or for several, so this comes before it.
  ort.env.wasm.numThreads = threads;
  ort.env.logLevel = 'error';
  const { version } = await readJson(new URL('../node_modules/onnxruntime-web/package.json', import.meta.url));

  const peer = (name, way) => ({
    name,
    async prepare(problem) {
      const model = graphOf(way, problem);
      if (!model) return undefined;
      const session = await ort.InferenceSession.create(model, {
        executionProviders: ['wasm'],
        intraOpNumThreads: threads,
        graphOptimizationLevel: 'all',
        logSeverityLevel: 3,
      });
      // Creating the tensors is part of the timed call: arrays in, arrays out.
      const run = async (feeds) => {
        const tensors = {};
        for (const [key, [data, dims, type = 'float32']] of Object.entries(feeds)) {
          tensors[key] = new ort.Tensor(type, data, dims);
        }
        const results = await session.run(tensors);
        return Object.fromEntries(Object.entries(results).map(([key, tensor]) => [key, tensor.data]));
      };
      const feeds = problem.kind === 'languageModel' ? await decoderFeeds(problem, run) : feedsOf(problem);
      return { run: () => run(feeds), dispose: () => session.release() };
    },
  });
  return {
    version,
    peers: [
      peer('ort', 'decomposed'),
      peer('ort-attention', 'attention'),
      peer('ort-mha', 'multi-head'),
      peer('ort-integer', 'integer'),
      peer('ort-dynamic', 'dynamic'),
      peer('ort-nbits', 'n-bits'),
    ],
  };
}
