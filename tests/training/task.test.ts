/** The sequences, their answers, and what a run may be told. */
import { describe, expect, test } from '@jest/globals';
import { checkSettings, DEFAULTS, type TrainingSettings } from '../../web/training/settings.js';
import {
  accuracyOf,
  answers,
  chance,
  NOT_ASKED,
  randomBatch,
  randomNumbers,
} from '../../web/training/task.js';
import { expectBinomial } from '../support/chance.js';

const settings = (given: Partial<TrainingSettings>) => checkSettings(given);

describe('the tasks', () => {
  const sequence = Int32Array.of(4, 0, 3, 1, 2, 5);

  test('reverse asks for the tokens from the last to the first', () => {
    const told = settings({ task: 'reverse', length: 6, vocabulary: 6 });
    expect([...answers(told, sequence)]).toEqual([5, 2, 1, 3, 0, 4]);
    expect([...sequence]).toEqual([4, 0, 3, 1, 2, 5]);
  });

  test('copy asks for the token so many places back, and not where there is none', () => {
    const told = settings({ task: 'copy', length: 6, vocabulary: 6, distance: 2 });
    expect([...answers(told, sequence)]).toEqual([NOT_ASKED, NOT_ASKED, 4, 0, 3, 1]);
  });

  test('every sequence holds every token equally often, in orders that differ', () => {
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

  test('chance is the best that one guess from the token alone has been right', () => {
    // Over all orders of 0, 0, 1, 1: the token at the first place and the one three places on, counted out.
    const orders = ['0011', '0101', '0110', '1001', '1010', '1100'];
    const right = orders.filter((order) => order[3] !== order[0]).length / orders.length;
    expect(chance(settings({ length: 4, vocabulary: 2, task: 'reverse' }))).toBe(right);
    expect(chance(DEFAULTS)).toBe(1 / 31);
  });

  test('accuracy leaves out what was not asked', () => {
    expect(accuracyOf(Int32Array.of(1, 2, 3, 4), Int32Array.of(NOT_ASKED, 2, 0, 4))).toBe(2 / 3);
  });
});

describe('the settings', () => {
  test('have defaults, also where a value is undefined', () => {
    expect(checkSettings()).toEqual(DEFAULTS);
    expect(checkSettings({ seed: 7, steps: undefined })).toEqual({
      ...DEFAULTS,
      seed: 7,
    });
  });

  test.each<[string, unknown, RegExp]>([
    [
      'a task that does not exist',
      { task: 'sort' },
      /^training: expected task to be one of copy, reverse, got sort$/,
    ],
    ['positions that do not exist', { positions: 'Learned' }, /positions to be one of none, .* got Learned$/],
    ['a name that does not exist', { epochs: 3 }, /no settings but task, .* got epochs$/],
    ['a name of every object', { toString: 3 }, /no settings but task, .* got toString$/],
    ['a fraction of a step', { steps: 1.5 }, /steps to be a whole number within \[1, 1000000\], got 1\.5$/],
    ['no steps', { steps: 0 }, /steps to be a whole number/],
    ['a negative seed', { seed: -1 }, /seed to be a whole number within \[0, 4294967295\], got -1$/],
    ['a number as text', { batch: '32' }, /batch to be a whole number within \[1, 1024\], got 32$/],
    ['not a number', { numHiddens: NaN }, /numHiddens to be a whole number .* got NaN$/],
    [
      'an endless learning rate',
      { learningRate: Infinity },
      /learningRate to be a finite number above 0, got Infinity$/,
    ],
    [
      'heads that do not divide the width',
      { numHeads: 5 },
      /numHiddens to be a multiple of numHeads \(5\), got 64$/,
    ],
    ['odd heads that are to be turned', { positions: 'rotary', numHiddens: 12 }, /even width.* got 3$/],
    ['a length that is no multiple', { length: 33 }, /length to be a multiple of vocabulary \(32\), got 33$/],
    [
      'a middle that is its own answer',
      { task: 'reverse', length: 9, vocabulary: 3 },
      /even length .* got 9$/,
    ],
    ['a distance beyond the sequence', { distance: 32 }, /distance to be below length \(32\), got 32$/],
  ])('refuse %s', (_, given, message) => {
    expect(() => checkSettings(given as Partial<TrainingSettings>)).toThrow(RangeError);
    expect(() => checkSettings(given as Partial<TrainingSettings>)).toThrow(message);
  });

  test.each([null, 3, 'learned'])('refuse %s in place of an object', (given) => {
    const call = () => checkSettings(given as unknown as Partial<TrainingSettings>);
    expect(call).toThrow(TypeError);
    expect(call).toThrow(`training: expected settings to be an object, got ${given}`);
  });
});
