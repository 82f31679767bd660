/** The training example's sequences and answers, and its settings. */
import { describe, expect, test } from '@jest/globals';
import { checkSettings, DEFAULTS, type TrainingSettings } from '../../web/training/settings.js';
import { accuracyOf, answers, chance, IGNORED, randomBatch, randomNumbers } from '../../web/training/task.js';
import { expectBinomial } from '../support/chance.js';

const settings = (given: Partial<TrainingSettings>) => checkSettings(given);

describe('the training tasks', () => {
  const sequence = Int32Array.of(4, 0, 3, 1, 2, 5);

  test('reverse asks for the tokens from the last to the first', () => {
    const told = settings({ task: 'reverse', length: 6, vocabulary: 6 });
    expect([...answers(told, sequence)]).toEqual([5, 2, 1, 3, 0, 4]);
    expect([...sequence]).toEqual([4, 0, 3, 1, 2, 5]);
  });

  test('copy asks for the token `distance` places back, and for nothing at the first places', () => {
    const told = settings({ task: 'copy', length: 6, vocabulary: 6, distance: 2 });
    expect([...answers(told, sequence)]).toEqual([IGNORED, IGNORED, 4, 0, 3, 1]);
  });

  test('every sequence holds every token equally often, in a random order', () => {
    const told = settings({ length: 12, vocabulary: 4, task: 'reverse' });
    const { tokens, targets } = randomBatch(told, randomNumbers(3), 50);
    const orders = new Set<string>();
    for (let first = 0; first < tokens.length; first += 12) {
      const one = tokens.slice(first, first + 12);
      expect([...one].sort()).toEqual([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]);
      expect([...targets.slice(first, first + 12)]).toEqual([...one].reverse());
      orders.add(one.join());
    }
    expect(orders.size).toBe(50);
  });

  test('every order of three tokens is equally likely', () => {
    const told = settings({ length: 3, vocabulary: 3, distance: 1 });
    const { tokens } = randomBatch(told, randomNumbers(8), 6000);
    const counts = new Map<string, number>();
    for (let first = 0; first < tokens.length; first += 3) {
      const order = tokens.slice(first, first + 3).join();
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    for (const count of counts.values()) expectBinomial(count, 6000, 1 / 6);
  });

  test('chance is the best accuracy of a guess from the token at the same place alone', () => {
    // In all orders of 0, 0, 1, 1: how often the last token differs from the first, which is the best guess.
    const orders = ['0011', '0101', '0110', '1001', '1010', '1100'];
    const right = orders.filter((order) => order[3] !== order[0]).length / orders.length;
    expect(chance(settings({ length: 4, vocabulary: 2, task: 'reverse' }))).toBe(right);
    expect(chance(DEFAULTS)).toBe(1 / 31);
  });

  test('accuracy leaves out places without a question', () => {
    expect(accuracyOf(Int32Array.of(1, 2, 3, 4), Int32Array.of(IGNORED, 2, 0, 4))).toBe(2 / 3);
  });
});

describe('the training settings', () => {
  test('have defaults for missing and undefined values', () => {
    expect(checkSettings()).toEqual(DEFAULTS);
    expect(checkSettings({ seed: 7, steps: undefined })).toEqual({
      ...DEFAULTS,
      seed: 7,
    });
  });

  test.each<[string, unknown, RegExp]>([
    ['a task that does not exist', { task: 'sort' }, /^training: expected task to be one of copy, reverse, got sort$/],
    ['positions that do not exist', { positions: 'Learned' }, /positions to be one of none, .* got Learned$/],
    ['a name that does not exist', { epochs: 3 }, /no settings but task, .* got epochs$/],
    ['the name of a method that every object has', { toString: 3 }, /no settings but task, .* got toString$/],
    ['a fraction of a step', { steps: 1.5 }, /steps to be a whole number within \[1, 1000000\], got 1\.5$/],
    ['no steps', { steps: 0 }, /steps to be a whole number/],
    ['a negative seed', { seed: -1 }, /seed to be a whole number within \[0, 4294967295\], got -1$/],
    ['a number as a string', { batch: '32' }, /batch to be a whole number within \[1, 1024\], got 32$/],
    ['NaN', { numHiddens: NaN }, /numHiddens to be a whole number .* got NaN$/],
    [
      'an infinite learning rate',
      { learningRate: Infinity },
      /learningRate to be a finite number above 0, got Infinity$/,
    ],
    ['heads that do not divide the width', { numHeads: 5 }, /numHiddens to be a multiple of numHeads \(5\), got 64$/],
    ['heads of odd width with rotary positions', { positions: 'rotary', numHiddens: 12 }, /even width.* got 3$/],
    [
      'a length that is not a multiple of the vocabulary',
      { length: 33 },
      /length to be a multiple of vocabulary \(32\), got 33$/,
    ],
    [
      'an odd length for reverse, whose middle token would be its own answer',
      { task: 'reverse', length: 9, vocabulary: 3 },
      /even length .* got 9$/,
    ],
    ['a distance beyond the sequence', { distance: 32 }, /distance to be below length \(32\), got 32$/],
  ])('refuse %s', (_, given, message) => {
    expect(() => checkSettings(given as Partial<TrainingSettings>)).toThrow(RangeError);
    expect(() => checkSettings(given as Partial<TrainingSettings>)).toThrow(message);
  });

  test.each([null, 3, 'learned'])('refuse %s instead of an object', (given) => {
    const call = () => checkSettings(given as unknown as Partial<TrainingSettings>);
    expect(call).toThrow(TypeError);
    expect(call).toThrow(`training: expected settings to be an object, got ${given}`);
  });
});
