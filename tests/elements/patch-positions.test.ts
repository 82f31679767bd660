import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readSafetensors, type Tensor } from 'wasm-attention';
import { openModel, type VisionModel } from 'wasm-attention/models';
import { patchCode } from '../../web/elements/patch-positions/code.js';
import { answerOf, orderOf, patchScene, ROUNDING, rowOf } from '../../web/elements/patch-positions/scene.js';
import { circlesIn, MOST, PATCHES, pictureOf, pixelsOf } from '../../web/training/patches/pictures.js';
import { siglipClassifier } from '../reference/siglipClassifier.js';
import { expectBinomial } from '../support/chance.js';
import { attention } from '../support/library.js';
import { expectRight, predictionOf } from '../support/predictions.js';
import { runModule } from '../support/runModule.js';

const FOLDER = 'web/elements/patch-positions';
const MODELS = ['with-positions', 'without-positions'] as const;
const read = (name: string, file: string): Buffer => readFileSync(`${FOLDER}/${name}/${file}`);
const config = JSON.parse(read('with-positions', 'config.json').toString('utf8')) as {
  vision_config: Parameters<typeof siglipClassifier>[0];
};
/** Half a spacing of float32 just below 2. */
const EPS = 2 ** -24;
const ORIGINAL = orderOf(0);
/** Pictures that the training does not begin with. */
const pictures = (count: number) => Array.from({ length: count }, (_, i) => pictureOf(1e6 + i));

const models = {} as Record<(typeof MODELS)[number], VisionModel>;
const tensors = {} as Record<(typeof MODELS)[number], Record<string, Tensor>>;
beforeAll(async () => {
  for (const name of MODELS) {
    const weights = read(name, 'model.safetensors');
    models[name] = await openModel<VisionModel>({ config, weights, attention });
    tensors[name] = readSafetensors(weights);
  }
});
afterAll(() => Object.values(models).forEach((model) => model.dispose()));

describe('the files', () => {
  test('have one config, and take less than 120 kB', () => {
    expect(JSON.parse(read('without-positions', 'config.json').toString('utf8'))).toEqual(config);
    const bytes = MODELS.reduce((sum, name) => sum + statSync(`${FOLDER}/${name}/model.safetensors`).size, 0);
    expect(bytes).toBeLessThan(120_000);
  });

  test('have a table of positions in two dimensions, rounded to float16, or none', () => {
    const { data } = attention.sinusoidalEncoding2d({ height: 6, width: 6, dim: 32 });
    const table = (name: (typeof MODELS)[number]) =>
      tensors[name]['vision_model.embeddings.position_embedding.weight']!.data;
    const off = Array.from(table('with-positions'), (x, i) => Math.abs(x - data[i]!));
    // Half a spacing of float16 just below 1.
    expect(Math.max(...off)).toBeLessThanOrEqual(2 ** -12);
    expect(new Set(table('without-positions'))).toEqual(new Set([0]));
  });

  test.each(MODELS)('make of pictures what float64 makes of them: %s', (name) => {
    for (const picture of pictures(4)) {
      const { logits, weights } = siglipClassifier(config.vision_config, tensors[name], pixelsOf(picture));
      const pixels = { data: pixelsOf(picture), shape: [1, 1, 48, 48] };
      const found = models[name].forward(pixels, { needWeights: true });
      const off = (a: ArrayLike<number>, b: ArrayLike<number>) =>
        Math.max(...Array.from(a, (x, i) => Math.abs(x - b[i]!)));
      // Five maps of sums of up to 128 products: some roundings of the largest score; of a weight, some of attention's
      // scores, which are about 10.
      const scale = logits.reduce((most, logit) => Math.max(most, Math.abs(logit)), 0);
      expect(off(found.logits!.data, logits)).toBeLessThan(32 * EPS * scale);
      expect(off(found.weights![0]!.data, weights)).toBeLessThan(16 * EPS * 10);
    }
  });
});

describe('a picture', () => {
  test('has the four quarters of one to three circles, each of them whole or not with the same probability', () => {
    const all = pictures(2000);
    const shapes = all.map(({ pieces }) => [1, 2, 3, 4].map((piece) => pieces.filter((each) => each === piece).length));
    expect(
      shapes.filter(([first = 0, ...others]) => first < 1 || first > MOST || others.some((n) => n !== first)),
    ).toEqual([]);
    const counts = shapes.map(([first = 0]) => first);
    for (let n = 1; n <= MOST; ++n) expectBinomial(counts.filter((count) => count === n).length, all.length, 1 / MOST);
    const whole = all.reduce((sum, picture) => sum + circlesIn(picture).length, 0);
    const every = counts.reduce((sum, count) => sum + count, 0);
    expectBinomial(whole, every, 1 / 2);
  });

  test('of a whole circle is symmetric', () => {
    const pieces = new Array<number>(PATCHES).fill(0);
    [14, 15, 20, 21].forEach((patch, i) => (pieces[patch] = i + 1));
    expect(circlesIn({ pieces })).toEqual([[14, 15, 20, 21]]);
    const pixels = pixelsOf({ pieces, stroke: 1.7 });
    const at = (x: number, y: number): number => pixels[48 * y + x]!;
    const off: number[] = [];
    for (let y = 0; y < 48; ++y)
      for (let x = 0; x < 48; ++x) {
        off.push(Math.abs(at(x, y) - at(47 - x, y)), Math.abs(at(x, y) - at(x, 47 - y)), Math.abs(at(x, y) - at(y, x)));
      }
    expect(Math.max(...off)).toBeLessThan(1e-6);
    // A ring's area. A pixel at its edge is off by up to 0.1, in either direction.
    const area = pixels.reduce((sum, ink) => sum + ink, 0);
    expect(Math.abs(area / (Math.PI * (8 ** 2 - (8 - 1.7) ** 2)) - 1)).toBeLessThan(0.02);
  });
});

describe('on pictures that it has not seen', () => {
  /** Answers in float64. */
  const shares = (name: (typeof MODELS)[number], picture: (typeof all)[number]): number[] => {
    const { logits } = siglipClassifier(config.vision_config, tensors[name], pixelsOf(picture));
    const powers = Array.from(logits, Math.exp);
    return powers.map((power) => power / powers.reduce((a, b) => a + b));
  };
  const all = pictures(80);
  const right = (name: (typeof MODELS)[number]): number =>
    all.filter((picture) => {
      const found = shares(name, picture);
      return found.indexOf(Math.max(...found)) === circlesIn(picture).length;
    }).length;

  test('the model with positions counts the whole circles', () => {
    expect(right('with-positions')).toBeGreaterThanOrEqual(79);
  });

  test('the one without can only count quarters, and knows how likely each number of circles then is', () => {
    for (const picture of all.slice(0, 40)) {
      const n = picture.pieces.filter((piece) => piece === 1).length;
      const binomial = [1, n, (n * (n - 1)) / 2, n === 3 ? 1 : 0].map((ways) => ways / 2 ** n);
      shares('without-positions', picture).forEach((share, k) =>
        expect(Math.abs(share - (k <= n ? binomial[k]! : 0))).toBeLessThan(0.05),
      );
    }
    // It is right in one of two pictures with one or two circles, and in three of eight with three.
    expectBinomial(right('without-positions'), all.length, (1 / 2 + 1 / 2 + 3 / 8) / 3);
  });
});

describe('shuffled patches', () => {
  const scenes = (name: (typeof MODELS)[number]) =>
    [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => patchScene(models[name], pictureOf(seed), orderOf(seed)));

  test('are the same to a model without positions', () => {
    for (const { before, sight, change } of scenes('without-positions')) {
      expect(change).toBeLessThan(ROUNDING);
      sight.shares.forEach((share, i) => expect(Math.abs(share - before.shares[i]!)).toBeLessThan(ROUNDING));
    }
  });

  test('are the same in the question, though no circle is whole', () => {
    const check = predictionOf('fig-patches');
    expect(check.show).toEqual({ positions: 'no', order: '1' });
    const { picture, sight, before } = patchScene(models['without-positions'], pictureOf(24), orderOf(1));
    expect(circlesIn(picture)).toEqual([]);
    expect(answerOf(sight)).toBeGreaterThan(0);
    expect(answerOf(sight)).toBe(answerOf(before));
    expectRight(check, 1);
  });

  test('are another picture to a model with positions', () => {
    for (const { change } of scenes('with-positions')) expect(change).toBeGreaterThan(0.5);
  });

  test('are the same patches in another order, and in the original one for seed 0', () => {
    expect(ORIGINAL).toEqual(Array.from({ length: PATCHES }, (_, patch) => patch));
    const order = orderOf(5);
    expect(order).toEqual(orderOf(5));
    expect(order).not.toEqual(ORIGINAL);
    expect([...order].sort((a, b) => a - b)).toEqual(ORIGINAL);
    const original = pictureOf(24);
    const { picture, sight, before, change } = patchScene(models['with-positions'], original, ORIGINAL);
    expect(picture).toEqual(original);
    expect(sight).toEqual(before);
    expect(change).toBe(0);
  });
});

test('in the figure’s picture, a head of each quarter attends to its circle', () => {
  const { picture, sight } = patchScene(models['with-positions'], pictureOf(24), ORIGINAL);
  const circles = circlesIn(picture);
  expect(circles).toHaveLength(2);
  for (const patches of circles)
    for (const place of patches) {
      const shares = sight.heads.map((head) =>
        patches.filter((patch) => patch !== place).reduce((sum, patch) => sum + rowOf(head, place)[patch]!, 0),
      );
      expect(Math.max(...shares)).toBeGreaterThan(0.8);
    }
});

test.each(MODELS)('the JavaScript prints what the figure shows: %s', async (name) => {
  const place = 8;
  const { picture, sight } = patchScene(models[name], pictureOf(24), orderOf(3));
  const { javascript } = patchCode(picture, name === 'with-positions', place);
  const lines = await runModule(javascript.replace(`'${name}'`, JSON.stringify(resolve(FOLDER, name))));
  const numbers = lines.map((line) => line.split(' ').map(Number));
  expect(numbers).toEqual([sight.shares, ...sight.heads.map((head) => Array.from(rowOf(head, place)))]);
  expect(answerOf(sight)).toBe(name === 'with-positions' ? 0 : 1);
});
