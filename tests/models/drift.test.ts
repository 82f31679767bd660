import { drift, type Model } from 'wasm-attention/models';
import { checkpoint, open, stories } from './fixtures.js';

const IDS = [
  [1, 403, 407, 261, 378, 432],
  [1, 291, 280, 294, 286, 393],
];

/** Plain loops in float64 over the results of the models' own passes. */
function expected(reference: Model, model: Model) {
  let [cosine, flips, divergence, tokens] = [Infinity, 0, 0, 0];
  for (const row of IDS) {
    const [a, b] = [reference.forward(row), model.forward(row)];
    for (let t = 0; t < row.length; ++t, ++tokens) {
      const at = (data: Float32Array, width: number) => Array.from(data.slice(t * width, (t + 1) * width));
      const [x, y] = [a, b].map(({ hidden }) => at(hidden.data, reference.numHiddens)) as [number[], number[]];
      const dot = (u: number[], v: number[]) => u.reduce((sum, value, i) => sum + value * v[i]!, 0);
      cosine = Math.min(cosine, dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y)));
      const [p, q] = [a, b].map(({ logits }) => {
        const exponentials = at(logits!.data, reference.vocabSize).map(Math.exp);
        const sum = exponentials.reduce((total, value) => total + value);
        return exponentials.map((value) => value / sum);
      }) as [number[], number[]];
      if (p.indexOf(Math.max(...p)) !== q.indexOf(Math.max(...q))) ++flips;
      divergence += p.reduce((sum, value, i) => sum + value * Math.log(value / q[i]!), 0);
    }
  }
  return { cosine, flips: flips / tokens, divergence: divergence / tokens };
}

describe('drift', () => {
  test.each(['float16', 'int8'] as const)('of %s has the numbers of plain loops', async (weightType) => {
    const reference = await open(stories);
    const model = await open(stories, { weightType });
    const [found, right] = [drift(reference, model, IDS), expected(reference, model)];
    expect(found.flips).toBe(right.flips);
    // Both are sums of float64.
    expect(Math.abs(found.cosine - right.cosine)).toBeLessThan(1e-12);
    expect(Math.abs(found.divergence - right.divergence)).toBeLessThan(1e-9);
    expect(found.cosine).toBeLessThan(1);
    expect(found.divergence).toBeGreaterThan(0);
  });

  test('of a model from itself is none', async () => {
    const model = await open(stories);
    const { cosine, flips, divergence } = drift(model, model, IDS);
    expect([Math.abs(1 - cosine) < 1e-12, flips, divergence]).toEqual([true, 0, 0]);
  });

  test('of a model that predicts no tokens is the cosine alone', async () => {
    const bert = checkpoint('xlm-roberta-reranker');
    const [reference, model] = [await open(bert), await open(bert, { weightType: 'int8' })];
    const { cosine, flips, divergence } = drift(reference, model, [1, 2, 3]);
    expect(reference.forward([1, 2, 3]).logits?.shape.at(-1)).not.toBe(reference.vocabSize);
    expect(cosine).toBeGreaterThan(0.9);
    expect([flips, divergence]).toEqual([NaN, NaN]);
  });

  test('refuses what it cannot compare, by name', async () => {
    const model = await open(stories);
    const other = await open(checkpoint('gpt2'));
    expect(() => drift(model, other, [1])).toThrow(
      /^drift: expected models with the same (numHiddens|vocabSize), got /,
    );
    expect(() => drift(null as never, model, [1])).toThrow(
      new TypeError('drift: expected reference to be a model from openModel, got null'),
    );
    expect(() => drift(model, {} as never, [1])).toThrow(/^drift: expected model to be a model from openModel/);
    expect(() => drift(model, model, [[1, 2], [3]])).toThrow(/^drift: expected ids /);
    expect(() => drift(model, model, [model.vocabSize])).toThrow(/^drift: expected ids /);
    // As those of loadWorker do.
    const far = { numHiddens: model.numHiddens, vocabSize: model.vocabSize, forward: () => Promise.resolve({}) };
    expect(() => drift(model, far as never, [1])).toThrow(
      new TypeError('drift: expected models outside workers, got one in a worker'),
    );
  });
});
