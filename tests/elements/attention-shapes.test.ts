import { expect, test } from '@jest/globals';
import { shapesCode } from '../../web/elements/attention-shapes/code.js';
import { pipelineOf, shapeOf } from '../../web/elements/attention-shapes/pipeline.js';
import { runModule } from '../support/runModule.js';
import { attention } from '../support/library.js';

const TEXTBOOK = { batch: 2, tokens: 4, width: 100, heads: 5 };

test('the textbook’s case goes from (2, 4, 100) over (10, 4, 20) back to (2, 4, 100)', () => {
  const { shapes, error } = pipelineOf(attention, TEXTBOOK);
  expect(error).toBeUndefined();
  expect(Object.values(shapes).map(shapeOf)).toEqual([
    '(2, 4, 100)',
    '(2, 4, 100)',
    '(10, 4, 20)',
    '(2, 5, 4, 4)',
    '(10, 4, 20)',
    '(2, 4, 100)',
  ]);
});

test('there are shapes if the heads divide the width, and otherwise the layer’s own error', () => {
  for (let width = 4; width <= 128; width += 4) {
    for (let heads = 1; heads <= 12; ++heads) {
      const { shapes, error } = pipelineOf(attention, { batch: 1, tokens: 2, width, heads });
      expect(error === undefined).toBe(width % heads === 0);
      expect(shapes.split).toEqual(width % heads === 0 ? [heads, 2, width / heads] : undefined);
      if (error !== undefined) {
        const make = (): void => {
          new attention.MultiHeadAttention({ numHiddens: width, numHeads: heads }).dispose();
        };
        expect(make).toThrow(RangeError);
        expect(make).toThrow(error.replace('RangeError: ', ''));
      }
    }
  }
});

test('the code prints the shapes', async () => {
  const { shapes } = pipelineOf(attention, TEXTBOOK);
  const lines = await runModule(shapesCode(TEXTBOOK).javascript);
  expect(lines).toEqual([shapes.weights?.join(' '), shapes.output?.join(' ')]);
});

test('the code prints the error', async () => {
  const sizes = { ...TEXTBOOK, heads: 7 };
  const lines = await runModule(shapesCode(sizes).javascript);
  expect(lines).toEqual([pipelineOf(attention, sizes).error]);
});
