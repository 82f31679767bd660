/** Checkpoints of pictures against a float64 pass in PyTorch (tests/fixtures/README.md). */
import { describe, expect, test } from '@jest/globals';
import type { Tensor } from 'wasm-attention';
import { openModel } from 'wasm-attention/models';
import { record, type Subject } from '../../support/agreement.js';
import { attention } from '../../support/library.js';
import { pictureCheckpoints } from '../fixtures.js';
import { derived, openPictures, openTexts, pictureCheckpoint, worstOf, type PictureFiles } from './fixtures.js';

const cosines = (a: Tensor, b: Tensor): Tensor => {
  const [rows, columns, width] = [a.shape[0]!, b.shape[0]!, a.shape[1]!];
  const row = ({ data }: Tensor, i: number) => data.subarray(i * width, (i + 1) * width);
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, each, i) => sum + each * y[i]!, 0);
  const data = Float32Array.from({ length: rows * columns }, (_, i) => {
    const [x, y] = [row(a, Math.floor(i / columns)), row(b, i % columns)];
    return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
  });
  return { data, shape: [rows, columns] };
};

/** Compares a model's results with those of a checkpoint, and records how far they are off. */
const against =
  (family: string, name: string): typeof worstOf =>
  (actual, expected, counts) => {
    const about: Subject = { group: 'model', name: family };
    if (actual) record(actual, expected, `models/${name}`, about, counts);
    return worstOf(actual, expected, counts);
  };

test.each([
  ...pictureCheckpoints.map((name) => [name, name, pictureCheckpoint(name).files] as const),
  ['the tower of clip', 'clip', derived.clipVision] as const,
  ['the whole siglip', 'siglip', derived.siglip] as const,
])('%s agrees with PyTorch in all results', async (_, name, files) => {
  const { tensors, expected } = pictureCheckpoint(name);
  const worstOf = against((files as PictureFiles).config.model_type as string, name);
  const model = await openPictures(files);
  const pixels = tensors.pixel_values!;
  const result = model.forward(pixels, { needWeights: true, needHiddenStates: true });
  // Results behind a head may be four times as far off.
  const worst = [
    ...result.hiddenStates!.map((states, i) => worstOf(states, tensors[`hidden_states.${i}`]!)),
    ...result.weights!.map((weights, i) => worstOf(weights, tensors[`attentions.${i}`]!)),
    worstOf(result.hidden, tensors.last_hidden_state!),
    ...(['logits', 'pooled'] as const).flatMap((key) => (tensors[key] ? [worstOf(result[key], tensors[key]) / 4] : [])),
    ...(tensors.image_features ? [worstOf(result.embeds, tensors.image_features) / 4] : []),
  ];
  expect(worst.length).toBeGreaterThan(2 * model.numLayers + 1);
  expect(worst.filter((each) => !(each <= 1))).toEqual([]);
  if (expected.labels) {
    const { data, shape } = result.logits!;
    const best = expected.labels.map((_, b) => {
      const row = Array.from(data.subarray(b * shape[1]!, (b + 1) * shape[1]!));
      return row.indexOf(Math.max(...row));
    });
    expect(best).toEqual(expected.best);
    expect(best.map((i) => model.labels![i])).toEqual(expected.labels);
  }
  const { hidden, weights } = model.forward(pixels);
  expect(hidden).toEqual(result.hidden);
  expect(weights).toBeUndefined();
  model.dispose();
});

test.each(pictureCheckpoints)('%s is the same from a file that is read tensor by tensor', async (name) => {
  const { files, tensors } = pictureCheckpoint(name);
  const results = await Promise.all(
    [files.weights, new Blob([files.weights as Uint8Array<ArrayBuffer>])].map(async (weights) => {
      const model = await openPictures({ ...files, weights } as PictureFiles);
      const { hidden } = model.forward(tensors.pixel_values!);
      model.dispose();
      return hidden;
    }),
  );
  expect(results[1]).toEqual(results[0]);
});

describe('clip', () => {
  const { tensors, expected, files } = pictureCheckpoint('clip');

  test.each([
    ['clip', () => openTexts(files)],
    ['clip_text_model', () => openModel({ ...derived.clipText, attention })],
  ])("the tower of texts agrees with PyTorch, and similarities are the cosines', of %s", async (family, openTower) => {
    const worstOf = against(family, 'clip');
    const [texts, pictures] = [await openTower(), await openPictures(files)];
    const attentionMask = expected.attentionMask!;
    const result = texts.forward(expected.ids!, { attentionMask, needWeights: true, needHiddenStates: true });
    const { numHeads, numHiddens } = texts;
    const isToken = attentionMask.flat();
    const ofToken = (i: number) => isToken[Math.floor(i / numHiddens)] === 1;
    const ofWeight = (i: number) => {
      const row = Math.floor(i / 9);
      return isToken[Math.floor(row / (9 * numHeads)) * 9 + (row % 9)] === 1;
    };
    const worst = [
      ...result.hiddenStates!.map((states, i) => worstOf(states, tensors[`text_hidden_states.${i}`]!, ofToken)),
      ...result.weights!.map((weights, i) => worstOf(weights, tensors[`text_attentions.${i}`]!, ofWeight)),
      worstOf(result.hidden, tensors.text_last_hidden_state!, ofToken),
      worstOf(result.pooled, tensors.text_pooled!) / 4,
      worstOf(result.embeds, tensors.text_features!) / 4,
    ];
    expect(worst.filter((each) => !(each <= 1))).toEqual([]);
    const { embeds } = pictures.forward(tensors.pixel_values!);
    const scale = Math.exp(pictures.logitScale!);
    const similarities = cosines(embeds!, result.embeds!);
    const logits = { ...similarities, data: similarities.data.map((cosine) => cosine * scale) };
    expect(worstOf(logits, tensors.logits_per_image!)).toBeLessThan(4 * scale);
    if (family === 'clip') expect(texts.logitScale).toBe(pictures.logitScale);
    texts.dispose();
    pictures.dispose();
  });
});
