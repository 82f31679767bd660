/** Published forms of GGUF against llama.cpp and a float64 run of transformers' formulas. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readSafetensors, type Tensor } from 'wasm-attention';
import { openModel, type Model } from 'wasm-attention/models';
import { attention } from '../../support/library.js';

const ROOT = join(import.meta.dirname, '../../fixtures/gguf');
const folders = readdirSync(ROOT).sort();

interface Expected {
  readonly ids: number[][];
  readonly attentionMask: number[][];
  readonly generate: { readonly prompt: number[]; readonly tokens: number[] } | null;
  readonly sameBits: boolean;
}

function read(folder: string) {
  const file = (name: string) => readFileSync(join(ROOT, folder, name));
  return {
    gguf: new Uint8Array(file('model.gguf')),
    config: JSON.parse(file('config.json').toString()) as unknown,
    dequantised: new Uint8Array(file('dequantised.safetensors')),
    expected: JSON.parse(file('expected.json').toString()) as Expected,
    tensors: readSafetensors(file('expected.safetensors')),
  };
}

/** The largest difference, as a share of what is allowed, where the mask is 1. */
function error(got: Tensor, wanted: Tensor, times: number, mask?: number[]): number {
  expect(got.shape).toEqual(wanted.shape);
  const width = got.shape.at(-1)!;
  let most = 0;
  got.data.forEach((x, i) => {
    if (mask && mask[Math.floor(i / width)] === 0) return;
    const y = wanted.data[i]!;
    const share = Math.abs(x - y) / (times * 2e-5 * (1 + Math.abs(y)));
    most = share <= most ? most : share;
  });
  return most;
}

for (const folder of folders) {
  test(`${folder}: hidden states, logits, embeddings and tokens`, async () => {
    const { gguf, expected, tensors } = read(folder);
    const { ids, attentionMask } = expected;
    const model = await openModel({ weights: gguf, attention });
    expect(model.unused).toEqual([]);
    const { hidden, logits } = model.forward(ids, { attentionMask });
    expect(error(hidden, tensors.hidden!, 4, attentionMask.flat())).toBeLessThan(1);
    if (tensors.logits) expect(error(logits!, tensors.logits, 8, attentionMask.flat())).toBeLessThan(1);
    else expect(logits).toBeUndefined();
    if (tensors.sentence_embedding) {
      expect(error(model.embed(ids, { attentionMask }), tensors.sentence_embedding, 1)).toBeLessThan(1);
    }
    if (expected.generate) {
      const { prompt, tokens } = expected.generate;
      const got: number[] = [];
      for await (const id of model.generate(prompt, { maxTokens: tokens.length })) got.push(id);
      expect(got).toEqual(tokens);
    }
    model.dispose();
  });

  for (const weightType of ['float32', 'float16', 'int8'] as const) {
    test(`${folder}: the bits of the dequantised safetensors in ${weightType}`, async () => {
      const { gguf, config, dequantised, expected } = read(folder);
      const run = (model: Model) => {
        const result = model.forward(expected.ids, { attentionMask: expected.attentionMask });
        model.dispose();
        return result;
      };
      const got = run(await openModel({ weights: gguf, attention, weightType }));
      const wanted = run(await openModel({ config, weights: dequantised, attention, weightType }));
      expect(Buffer.compare(Buffer.from(got.hidden.data.buffer), Buffer.from(wanted.hidden.data.buffer))).toBe(0);
      expect(got).toEqual(wanted);
    });
  }
}
