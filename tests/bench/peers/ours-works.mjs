/** How this library does each kind of work. */
import { instantiate } from '../limits.mjs';
import { training } from './ours-training.mjs';
import { transpose } from './dense.mjs';

const state = ({ wq, wk, wv, wo }, width) =>
  Object.fromEntries(
    Object.entries({ W_q: wq, W_k: wk, W_v: wv, W_o: wo }).map(([name, data]) => [
      `${name}.weight`,
      { data, shape: [width, width] },
    ]),
  );

function layerOf(wasm, { width, heads }, parameters, options) {
  const layer = new wasm.MultiHeadAttention({ numHiddens: width, numHeads: heads, ...options });
  layer.loadStateDict({ ...layer.stateDict(), ...state(parameters, width) });
  return layer;
}

function attentionLayer({ wasm }, { params, inputs, parameters }, layerOptions) {
  const { batch, n, width, lengths, needWeights } = params;
  const layer = layerOf(wasm, params, parameters, layerOptions);
  const x = { data: inputs.x, shape: [batch, n, width] };
  const options = { needWeights, ...(lengths ? { validLens: lengths } : {}) };
  return {
    run() {
      const { output, weights } = layer.forward(x, x, x, options);
      return { output: output.data, weights: weights?.data };
    },
    dispose: () => layer.dispose(),
  };
}

export const prepare = {
  training,

  /** As a Linear layer, whose weight is packed before the clock starts; threads share it. */
  matmul: ({ wasm }, problem) => {
    const { params, inputs } = problem;
    return linearLayer(wasm, { ...problem, weight: transpose(inputs.b, params.k, params.n) }, 'float32');
  },

  quantised: ({ wasm }, problem) => linearLayer(wasm, problem, 'int8'),

  attention: ({ wasm }, { params: { batch, heads, n, d, causal, window }, inputs }) => {
    const shape = [batch, heads, n, d];
    const [query, key, value] = [inputs.query, inputs.key, inputs.value].map((data) => ({ data, shape }));
    const options = window !== undefined ? { window: [window, 0] } : { isCausal: causal };
    return {
      run: () => ({ output: wasm.scaledDotProductAttention(query, key, value, options).output.data }),
    };
  },

  multiHead: (context, problem) => attentionLayer(context, problem),

  rotaryMultiHead: (context, problem) => attentionLayer(context, problem, { qkNorm: true, rotary: {} }),

  decoding: ({ wasm }, { params, inputs, parameters }) => {
    const { past, width } = params;
    const layer = layerOf(wasm, params, parameters);
    // The cache has room for 64 tokens after the history. Before it is full, it is reset and refilled with the history,
    // untimed.
    const room = 64;
    const cache = layer.createCache({ batch: 1, maxLength: past + room });
    const history = { data: inputs.history, shape: [1, past, width] };
    const token = { data: inputs.token, shape: [1, 1, width] };
    return {
      beforeSample(calls) {
        if (cache.length >= past && cache.length + calls <= cache.maxLength) return;
        cache.reset();
        layer.forward(history, history, history, { cache });
      },
      run: () => ({ output: layer.forward(token, token, token, { cache }).output.data }),
      dispose() {
        cache.dispose();
        layer.dispose();
      },
    };
  },

  async story({ wasm }, problem) {
    if (!problem.params.worker) return storyOf(wasm, problem);
    const { loadWorker } = await import('../../../dist/worker.js');
    return storyOf(await loadWorker(), problem);
  },

  encoder: async ({ wasm }, { params: { batch, tokens, needWeights, weightType }, config, tensors, ids }) => {
    const model = await open(wasm, config, tensors, { weightType });
    const rows = { data: ids, shape: [batch, tokens] };
    return { run: () => ({ hidden: model.forward(rows, { needWeights }).hidden.data }) };
  },

  vision: async ({ wasm }, { params: { batch, side }, config, tensors, inputs }) => {
    const model = await open(wasm, config, tensors);
    const pixels = { data: inputs.pixels, shape: [batch, 3, side, side] };
    return { run: () => ({ hidden: model.forward(pixels).hidden.data }) };
  },

  languageModel,

  nextToken: languageModel,

  opening: ({ wasm }, { config, file }) => ({
    async run() {
      (await open(wasm, config, file)).dispose();
      return {};
    },
  }),

  table: ({ wasm }, { params: { length, width } }) => ({
    run: () => ({ table: wasm.sinusoidalEncoding({ length, dim: width }).data }),
  }),

  addTable: ({ wasm }, { params: { batch, length, width }, inputs }) => {
    const layer = new wasm.PositionalEncoding({ numHiddens: width, maxLen: length });
    const x = { data: inputs.x, shape: [batch, length, width] };
    return { run: () => ({ sum: layer.forward(x).output.data }), dispose: () => layer.dispose() };
  },

  softmax: ({ wasm }, { params: { rows, cols }, inputs, lengths }) => {
    const scores = { data: inputs.x, shape: [1, rows, cols] };
    const validLens = lengths && { data: lengths, shape: [1, rows] };
    return { run: () => ({ y: wasm.maskedSoftmax(scores, validLens).data }) };
  },

  attentionGradients: ({ wasm }, { params: { heads, n, d }, inputs }) => {
    const shape = [1, heads, n, d];
    const tensors = ['gradOutput', 'query', 'key', 'value'].map((name) => ({ data: inputs[name], shape }));
    return {
      run() {
        const { query, key, value } = wasm.scaledDotProductAttentionBackward(...tensors);
        return { query: query.data, key: key.data, value: value.data };
      },
    };
  },

  textbookAttention: ({ wasm }, { params: { batch, keys, width, valueWidth }, inputs, lengths }) => {
    const query = { data: inputs.query, shape: [batch, 1, width] };
    const key = { data: inputs.key, shape: [batch, keys, width] };
    const value = { data: inputs.value, shape: [batch, keys, valueWidth] };
    const options = { validLens: lengths };
    return {
      run: () => ({ output: wasm.scaledDotProductAttention(query, key, value, options).output.data }),
    };
  },

  crossEntropy: ({ wasm }, { params: { rows, classes }, inputs, targets }) => {
    const logits = { data: inputs.logits, shape: [rows, classes] };
    return {
      run() {
        const { loss, gradLogits } = wasm.softmaxCrossEntropy(logits, targets);
        return { loss: Float32Array.of(loss), gradLogits: gradLogits.data };
      },
    };
  },

  gatedFeedForward: ({ wasm }, { params: { rows, width, hiddens }, inputs, parameters }) => {
    const layer = new wasm.GatedFeedForward({ numHiddens: width, ffnHiddens: hiddens });
    layer.loadStateDict({
      'gate_proj.weight': { data: parameters.gate, shape: [hiddens, width] },
      'up_proj.weight': { data: parameters.up, shape: [hiddens, width] },
      'down_proj.weight': { data: parameters.down, shape: [width, hiddens] },
    });
    const x = { data: inputs.x, shape: [rows, width] };
    return { run: () => ({ output: layer.forward(x).output.data }), dispose: () => layer.dispose() };
  },

  norm: ({ wasm }, problem) => {
    const { run, dispose } = normLayer(new wasm.RMSNorm({ normalizedShape: problem.params.width }), problem);
    return { run: () => ({ normed: run() }), dispose };
  },

  rotary: ({ wasm }, { params: { heads, n, d }, inputs }) => {
    const x = { data: inputs.x, shape: [1, heads, n, d] };
    return { run: () => ({ rotated: wasm.rotaryEmbedding(x).data }) };
  },

  positionedAttention: ({ wasm }, problem) => {
    const { slopes, tables, params } = problem;
    const table = (data) => ({ data, shape: [2 * params.clip + 1, params.d] });
    const options = {
      ...problem.options,
      ...(slopes && { alibiSlopes: slopes }),
      ...(tables && { relativeKeys: table(tables.keyTable), relativeValues: table(tables.valueTable) }),
    };
    const attend = attending(wasm, problem);
    return { run: () => ({ output: attend(options) }) };
  },
};

async function open(attention, config, weights, options) {
  const { openModel } = await import('../../../dist/models.js');
  return openModel({ config, weights, attention, ...options });
}

/** Passes `ids` after `history`. */
async function languageModel({ wasm }, { params: { weightType }, config, tensors, history, ids }) {
  const model = await open(wasm, config, tensors, { weightType });
  const cache = model.createCache();
  if (history.length) model.forward(history, { cache, lastOnly: true });
  return {
    beforeSample: () => cache.truncate(history.length),
    run: () => ({ logits: model.forward(ids, { cache, lastOnly: true }).logits.data }),
  };
}

function linearLayer(wasm, { params: { m, k, n }, inputs, weight }, weightType) {
  const layer = new wasm.Linear({ inFeatures: k, outFeatures: n, bias: false, weightType });
  layer.loadStateDict({ weight: { data: weight, shape: [n, k] } });
  const x = { data: inputs.a, shape: [m, k] };
  return { run: () => ({ c: layer.forward(x).output.data }), dispose: () => layer.dispose() };
}

async function storyOf(wasm, { params: { count }, prompt, config, bytes }) {
  const model = await open(wasm, config, bytes);
  return {
    async run() {
      const tokens = [];
      for await (const token of model.generate([prompt], { maxTokens: count })) tokens.push(token);
      return { tokens: Int32Array.from(tokens) };
    },
    dispose: () => model.dispose(),
  };
}

function attending(wasm, { params: { heads, n, d }, inputs }) {
  const shape = [1, heads, n, d];
  const [query, key, value] = [inputs.query, inputs.key, inputs.value].map((data) => ({ data, shape }));
  return (options) => wasm.scaledDotProductAttention(query, key, value, options).output.data;
}

/** The same work without the option that a row is about. */
export const baseline = {
  rotary: (_, { inputs: { x } }) => {
    const memory = new WebAssembly.Memory({ initial: Math.ceil(x.byteLength / 2 ** 16) });
    return {
      run() {
        new Float32Array(memory.buffer, 0, x.length).set(x);
        // The library reads its results the same way, with the copying constructor.
        return { copied: new Float32Array(new Float32Array(memory.buffer, 0, x.length)) };
      },
    };
  },

  table: throughMemory,

  addTable: throughMemory,

  softmax: throughMemory,

  norm: ({ wasm }, problem) => {
    const { run, dispose } = normLayer(new wasm.LayerNorm({ normalizedShape: problem.params.width }), problem);
    return { run: () => ({ plain: run() }), dispose };
  },

  positionedAttention: ({ wasm }, problem) => {
    const attend = attending(wasm, problem);
    return { run: () => ({ plain: attend({}) }) };
  },

  rotaryMultiHead: (context, problem) => {
    const { run, dispose } = attentionLayer(context, problem);
    return { run: () => ({ plain: run().output }), dispose };
  },

  story: ({ wasm }, problem) => (problem.params.worker ? storyOf(wasm, problem) : undefined),

  encoder: (context, problem) =>
    problem.params.needWeights || problem.params.weightType
      ? prepare.encoder(context, {
          ...problem,
          params: { ...problem.params, needWeights: false, weightType: undefined },
        })
      : undefined,

  quantised: ({ wasm }, problem) => linearLayer(wasm, problem, 'float32'),

  nextToken: async (context, problem) => {
    const { build } = context;
    const { params, bytes } = problem;
    if (!params.sum) return prepare.nextToken(context, { ...problem, params: { ...params, weightType: 'float32' } });
    const limits = await instantiate('limits', build);
    const address = limits.reserve(bytes + 128);
    const whole = bytes - (bytes % 128);
    // Write the pages, because all unwritten ones are the same page of zeros.
    new Float32Array(limits.memory.buffer, address, whole / 4).fill(1);
    return { run: () => ({ sum: limits.sum(address, whole) }) };
  },

  opening: (_, { file }) => ({ run: () => ({ copied: file.slice() }) }),
};

/** The same bytes into wasm memory and out into a fresh array, in pieces like the library's, without computing. */
function throughMemory(_, { inputs: { x }, items }) {
  const size = 2 ** 17;
  const piece = new Float32Array(new WebAssembly.Memory({ initial: 8 }).buffer, 0, size).fill(1);
  return {
    run() {
      const copied = new Float32Array(items);
      for (let at = 0; at < items; at += size) {
        const count = Math.min(size, items - at);
        if (x) piece.set(x.subarray(at, at + count));
        copied.set(piece.subarray(0, count), at);
      }
      return { copied };
    },
  };
}

function normLayer(layer, { params: { rows, width }, inputs }) {
  const bias = { data: inputs.bias, shape: [width] };
  layer.loadStateDict({
    ...('bias' in layer.stateDict() && { bias }),
    weight: { data: inputs.weight, shape: [width] },
  });
  const x = { data: inputs.x, shape: [rows, width] };
  return { run: () => layer.forward(x).output.data, dispose: () => layer.dispose() };
}
