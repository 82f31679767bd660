/** What the library computes, in short: the same in every engine, to the last bit. */

/** Where the built package is, and the files of a small model. */
export interface Given {
  readonly dist: string;
  readonly config: object;
  /** In base64. */
  readonly weights: string;
  readonly threads: number;
}

/**
 * Hashes of results, and ids that the model writes, with so many threads. Runs anywhere: it sees nothing but its
 * argument and what engines offer.
 */
export async function digestsOf({ dist, config, weights, threads }: Given): Promise<Record<string, string>> {
  type Library = typeof import('wasm-attention');
  type Models = typeof import('wasm-attention/models');
  const { load } = (await import(`${dist}/index.js`)) as Library;
  const { openModel } = (await import(`${dist}/models.js`)) as Models;
  const attention = await load({ threads });
  const digests: Record<string, string> = { threads: String(attention.features.threads) };

  /** FNV-1a over the bytes of all arrays and numbers, in order. */
  const hash = (value: unknown): string => {
    let state = 0x811c9dc5;
    const add = (item: unknown): void => {
      if (typeof item === 'number') add(Float64Array.of(item));
      else if (ArrayBuffer.isView(item)) {
        const bytes = new Uint8Array(item.buffer, item.byteOffset, item.byteLength);
        for (const byte of bytes) state = Math.imul(state ^ byte, 0x01000193);
      } else if (typeof item === 'object' && item !== null) Object.values(item).forEach(add);
    };
    add(value);
    return (state >>> 0).toString(16);
  };
  // A generator of integers, because engines' sines differ.
  let state = 1;
  const draw = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  const random = (...shape: number[]) => {
    const length = shape.reduce((product, size) => product * size, 1);
    return attention.tensor(Float32Array.from({ length }, draw), shape);
  };

  // Large enough for several threads.
  const [q, k, v] = [random(4, 300, 24), random(4, 300, 24), random(4, 300, 24)];
  const bias = random(1, 300, 300);
  const options = { bias, isCausal: true, needWeights: true };
  digests.attention = hash(attention.scaledDotProductAttention(q, k, v, options));
  digests.gradients = hash(
    attention.scaledDotProductAttentionBackward(random(4, 300, 24), q, k, v, { isCausal: true }),
  );
  digests.lengths = hash(attention.scaledDotProductAttention(q, k, v, { validLens: [1, 100, 299, 300] }));
  digests.softmax = hash(attention.maskedSoftmax(bias, [200]));
  const additive = { Wq: random(16, 24), Wk: random(16, 24), wv: random(1, 16) };
  digests.additive = hash(attention.additiveAttention(q, k, v, additive));
  digests.matmul = hash(attention.matmul(random(200, 300), random(300, 250)));
  digests.gelu = hash([attention.gelu(q), attention.gelu(q, { approximate: 'tanh' }), attention.silu(q)]);
  digests.conv = hash(attention.conv1d(random(2, 24, 200), random(32, 24, 3), { padding: 1 }));
  digests.rotary = hash(attention.rotaryEmbedding(q, { offset: 7 }));
  digests.sinusoidal = hash(attention.sinusoidalEncoding({ length: 500, dim: 64 }));
  digests.patches = hash(attention.sinusoidalEncoding2d({ height: 20, width: 20, dim: 64 }));
  digests.alibi = hash(attention.alibiBias({ numHeads: 6, queryLength: 40 }));
  digests.rotation = hash(attention.encodingRotation({ delta: 3, dim: 64 }));
  digests.buckets = hash(attention.t5RelativeBuckets({ queryLength: 300 }));
  digests.shift = hash(attention.relativeShift(random(2, 50, 50)));
  const targets = Int32Array.from({ length: 300 }, (_, i) => i % 24);
  digests.entropy = hash(attention.softmaxCrossEntropy({ data: q.data.subarray(0, 7200), shape: [300, 24] }, targets));

  const layer = new attention.TransformerEncoderLayer({ numHiddens: 64, numHeads: 4, ffnHiddens: 128, seed: 1 });
  for (const parameter of layer.parameters()) parameter.set(random(...parameter.shape).data);
  const { output, backward } = layer.forward(random(2, 100, 64), { training: true });
  digests.layer = hash(output);
  digests.layerGradients = hash([backward?.(random(2, 100, 64)), layer.parameters().map(({ grad }) => grad)]);
  const adam = new attention.Adam(layer.parameters(), { lr: 0.01 });
  adam.step();
  digests.adam = hash(layer.parameters().map(({ data }) => data));

  const bytes = Uint8Array.from(atob(weights), (character) => character.charCodeAt(0));
  for (const weightType of ['float32', 'int8'] as const) {
    const model = await openModel({ config, weights: bytes, attention, weightType });
    const ids: number[] = [];
    for await (const id of model.generate([1], { maxTokens: 60 })) ids.push(id);
    digests[`${weightType} ids`] = ids.join();
    const { logits, weights: maps } = model.forward(ids, { needWeights: true });
    digests[`${weightType} logits`] = hash([logits, maps]);
    const drawn: number[] = [];
    for await (const id of model.generate([1], { maxTokens: 60, temperature: 0.8, seed: 7 })) drawn.push(id);
    digests[`${weightType} drawn ids`] = drawn.join();
  }
  return digests;
}
