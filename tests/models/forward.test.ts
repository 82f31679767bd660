/** Checkpoints of every family against a float64 pass in PyTorch (tests/fixtures/README.md). */
import { describe, expect, test } from '@jest/globals';
import type { Tensor } from 'wasm-attention';
import { record, type Subject } from '../support/agreement.js';
import { checkpoint, checkpoints, open } from './fixtures.js';

/** The fixtures' own tolerance, on rows whose mask is 1. */
function expectRows(
  { name, config }: { name: string; config: Record<string, unknown> },
  actual: Tensor | undefined,
  expected: Tensor,
  mask: number[][],
  axis: 1 | 2,
  times = 1,
): void {
  expect(actual?.shape).toEqual(expected.shape);
  const { shape } = expected;
  const width = shape.at(-1)!;
  const counts = (i: number): boolean => {
    const row = Math.floor(i / width);
    const token = shape.length === 2 ? 0 : row % shape[axis]!;
    const batch = Math.floor(row / shape.slice(1, -1).reduce((a, b) => a * b, 1));
    return mask[batch]![token] !== 0;
  };
  const about: Subject = { group: 'model', name: config.model_type as string };
  record(actual!, expected, `models/${name}`, about, counts);
  let worst = 0;
  for (let i = 0; i < expected.data.length; ++i) {
    if (!counts(i)) continue;
    const [x, y] = [actual!.data[i]!, expected.data[i]!];
    worst = Math.max(worst, Math.abs(x - y) / (1e-5 + 1e-5 * Math.abs(y)));
    if (Number.isNaN(x)) throw new Error(`NaN at ${i}`);
  }
  expect(worst).toBeLessThanOrEqual(times);
}

describe.each(checkpoints)('%s', (name) => {
  const { expected, tensors, ...files } = checkpoint(name);
  const mask = expected.attentionMask;
  const of = { name, config: files.config };
  const options = {
    ...(mask.flat().includes(0) && { attentionMask: mask }),
    ...(expected.tokenTypes && { tokenTypes: expected.tokenTypes }),
  };

  test('agrees with PyTorch in hidden states, weights, logits and the pooled vector', async () => {
    const model = await open(files);
    const result = model.forward(expected.ids, { ...options, needWeights: true, needHiddenStates: true });
    for (let i = 0; i <= model.numLayers; ++i) {
      expectRows(of, result.hiddenStates![i], tensors[`hidden_states.${i}`]!, mask, 1, i < 4 ? 1 : 4);
    }
    expect(result.hidden).toEqual(result.hiddenStates!.at(-1));
    for (let i = 0; i < model.numLayers; ++i) {
      expectRows(of, result.weights![i], tensors[`attentions.${i}`]!, mask, 2);
    }
    if (tensors.logits) expectRows(of, result.logits, tensors.logits, mask, 1, 4);
    if (tensors.pooled) expectRows(of, result.pooled, tensors.pooled, mask, 1);
    expect(model.unused).toEqual([]);
    // The same without optional results.
    const { hidden, weights } = model.forward(expected.ids, options);
    expect(hidden).toEqual(result.hidden);
    expect(weights).toBeUndefined();
    model.dispose();
  });

  if (expected.generate) {
    const { prompt, tokens } = expected.generate;
    test('generates the same tokens', async () => {
      const model = await open(files);
      const written: number[] = [];
      for await (const id of model.generate(prompt, { maxTokens: tokens.length })) written.push(id);
      expect(written).toEqual(tokens);
      model.dispose();
    });
  }
});
