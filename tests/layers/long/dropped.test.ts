/** The memory of a layer that was not disposed stays as long as a part of the layer is in use. */
import { describe, expect, test } from '@jest/globals';
import { ALL_LAYERS } from '../../support/allLayers.js';
import { collect } from '../../support/collect.js';
import { attention } from '../../support/library.js';
import { Random } from '../../support/random.js';

const random = new Random(1);
const training = { training: true };

describe.each(ALL_LAYERS)('$title', ({ make }) => {
  const g = random.tensor(make().forward().output.shape);
  const trained = () => {
    const { layer, forward } = make();
    const { backward } = forward(training);
    return { backward: backward!, parameters: layer.parameters() };
  };

  test('keeps its memory as long as its backward pass or a parameter is referenced', async () => {
    const expected = trained();
    const gradients = expected.backward(g);
    const { backward } = trained();
    const [, left] = [trained().backward(g), trained().parameters];
    const values = expected.parameters.map(({ data }) => data);
    await collect();
    // If memory was freed by mistake, these layers reuse and overwrite it.
    const others = Array.from({ length: 50 }, () => {
      const other = make();
      other.forward(training).backward!(g);
      return other;
    });
    expect(left.map(({ data }) => data)).toEqual(values);
    for (const parameter of left) parameter.set(parameter.data.fill(3));
    expect(left.every(({ data }) => data.every((value) => value === 3))).toBe(true);
    expect(backward(g)).toEqual(gradients);
    for (const { layer } of others) {
      expect(layer.parameters().map(({ data }) => data)).toEqual(values);
      layer.dispose();
    }
  });
});

test('an optimizer keeps the memory of the parameters that it changes', async () => {
  const make = () => {
    const layer = new attention.Linear({ inFeatures: 8, outFeatures: 8, seed: 1 });
    layer.forward(random.tensor([1, 8]), training).backward!(random.tensor([1, 8]));
    return layer;
  };
  const adam = new attention.Adam(make().parameters(), { lr: 1 });
  await collect();
  const others = Array.from({ length: 50 }, make);
  const before = others.map((layer) => layer.stateDict());
  for (let i = 0; i < 3; ++i) adam.step();
  expect(others.map((layer) => layer.stateDict())).toEqual(before);
  for (const layer of others) layer.dispose();
});
