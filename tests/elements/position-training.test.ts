import { expect, test } from '@jest/globals';
import { trainingCode } from '../../web/elements/position-training/code.js';
import { computedView } from '../../web/elements/position-training/computed-maps.js';
import { COMPUTED } from '../../web/elements/position-training/computed-curves.js';
import { withProgress, type Runs } from '../../web/elements/position-training/runs.js';
import { DEFAULTS, POSITIONS, TASKS, type Positions, type Task } from '../../web/training/settings.js';
import { chance } from '../../web/training/task.js';
import { expectRight, predictionOf } from '../support/predictions.js';
import { runModule } from '../support/runModule.js';

const progress = (step: number) => ({ step, loss: 1 / step, accuracy: step / 10, stepsPerSecond: 5 });

test('curves grow step by step, separately for each kind of positions, and start again at a first step', () => {
  let runs: Runs = new Map();
  for (const step of [1, 2, 3]) runs = withProgress(runs, 'learned', progress(step));
  runs = withProgress(runs, 'shaw', progress(1));
  expect(runs.get('learned')).toMatchObject({ loss: [1, 1 / 2, 1 / 3], accuracy: [0.1, 0.2, 0.3] });
  expect(runs.get('shaw')!.loss).toEqual([1]);
  expect(withProgress(runs, 'learned', progress(1)).get('learned')!.loss).toEqual([1]);
});

/** tests/elements/long trains the models and compares, and runs the code of all. */
test('of the precomputed curves four solve the first task, ALiBi hardly, and no positions not at all', () => {
  const reached = (positions: Positions): number => COMPUTED.copy[positions].accuracy.at(-1)!;
  for (const positions of ['sinusoidal', 'learned', 'rotary', 'shaw'] as const)
    expect(reached(positions)).toBeGreaterThan(0.99);
  expect(reached('alibi')).toBeLessThan(0.2);
  expect(Math.abs(reached('none') - chance(DEFAULTS))).toBeLessThan(0.01);
});

test('the question’s right answer: besides learned positions, only sinusoidal ones solve the second task', () => {
  const reach = POSITIONS.filter((positions) => COMPUTED.reverse[positions].accuracy.at(-1)! > 0.99);
  expect(reach).toEqual(['sinusoidal', 'learned']);
  for (const positions of POSITIONS.filter((each) => !reach.includes(each)))
    expect(COMPUTED.reverse[positions].accuracy.at(-1)).toBeLessThan(0.1);
  const check = predictionOf('fig-training');
  expect(check.show).toEqual({ task: 'reverse', positions: 'rotary' });
  expectRight(check, 1);
});

test('the weights of each query of the precomputed maps add up to about 1', () => {
  for (const task of TASKS)
    for (const positions of POSITIONS) {
      const { weights, digits = NaN } = computedView(task, positions);
      const { numHeads, length } = DEFAULTS;
      expect(weights.shape).toEqual([numHeads, length, length]);
      expect(weights.data).toHaveLength(numHeads * length * length);
      const rows = Array.from({ length: numHeads * length }, (_, row) =>
        weights.data.slice(row * length, (row + 1) * length).reduce((sum, weight) => sum + weight),
      );
      // Each of the weights is rounded by up to half of the last digit; a float has seven digits.
      const most = (length / 2) * 10 ** -digits + 1e-5;
      expect(rows.filter((sum) => !(Math.abs(sum - 1) <= most))).toEqual([]);
      expect(Math.min(...weights.data)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...weights.data)).toBeLessThanOrEqual(1);
    }
});

test('the question’s maps: in reverse order no head of RoPE attends along a line, and one of the learned encoding does', () => {
  const { length, numHeads, distance } = DEFAULTS;
  /** The share of a head's queries whose strongest key is that one. */
  const along = (task: Task, positions: Positions, keyOf: (query: number) => number): number[] =>
    Array.from({ length: numHeads }, (_, head) => {
      const { data } = computedView(task, positions).weights;
      const found = Array.from({ length }, (_, query) => {
        const row = data.subarray((head * length + query) * length, (head * length + query + 1) * length);
        return row.indexOf(Math.max(...row)) === keyOf(query) ? 1 : 0;
      });
      return found.reduce<number>((sum, one) => sum + one, 0) / length;
    });
  const backwards = (query: number): number => length - 1 - query;
  expect(Math.max(...along('reverse', 'rotary', backwards))).toBeLessThan(0.2);
  expect(along('reverse', 'learned', backwards).filter((share) => share > 0.9)).toHaveLength(1);
  const back = along('copy', 'rotary', (query) => query - distance);
  expect(back.filter((share) => share > 0.6)).toHaveLength(3);
});

test('the code trains, from about the loss of guessing', async () => {
  const [line] = await runModule(trainingCode('copy', 'rotary', 1, 50).javascript);
  const [step, loss] = line!.split(' ').map(Number);
  expect(step).toBe(50);
  expect(loss).toBeLessThan(1.05 * Math.log(32));
  expect(loss).toBeGreaterThan(0);
});
