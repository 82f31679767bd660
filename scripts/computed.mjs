// Trains the models of <position-training> with seed 1 and writes to web/elements/position-training
//   computed-curves.json   loss and accuracy, each value the mean of ten steps, which computed-curves.ts reads
//   computed-maps.json     the attention maps afterwards, two hexadecimal digits per weight, which computed-maps.ts reads
//   usage: computed.mjs      `npm run train:computed`; tests/elements/long/position-training.test.ts fails if they are out of date
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';

const ROOT = join(import.meta.dirname, '..');
const STEPS_A_POINT = 10;
const { load } = await import(join(ROOT, 'dist/index.js'));
const { POSITIONS, TASKS, Training } = await import(join(ROOT, 'build/training/index.js'));

const attention = await load();
/** @param {string} task @param {string} positions */
function trained(task, positions) {
  const training = new Training(attention, { task, positions });
  /** @type {{ loss: number, accuracy: number }[]} */
  const steps = [];
  while (!training.finished) steps.push(training.step());
  /** @type {number[]} */
  const weights = [...training.snapshot().weights.data];
  training.dispose();
  /** @param {'loss' | 'accuracy'} measure @param {number} digits */
  const curve = (measure, digits) =>
    Array.from({ length: steps.length / STEPS_A_POINT }, (_, point) => {
      const some = steps.slice(point * STEPS_A_POINT, (point + 1) * STEPS_A_POINT);
      return Number((some.reduce((sum, step) => sum + step[measure], 0) / STEPS_A_POINT).toFixed(digits));
    });
  // Without positions all weights are about 1/32.
  const unit = positions === 'none' ? 1000 : 100;
  const digits = (/** @type {number} */ weight) =>
    Math.round(unit * weight)
      .toString(16)
      .padStart(2, '0');
  return { curves: { accuracy: curve('accuracy', 3), loss: curve('loss', 2) }, maps: weights.map(digits).join('') };
}

/** @template T @param {readonly string[]} names @param {(name: string) => T} make */
const each = (names, make) => Object.fromEntries(names.map((name) => [name, make(name)]));
const all = each(TASKS, (task) => each(POSITIONS, (positions) => trained(task, positions)));
for (const part of /** @type {const} */ (['curves', 'maps'])) {
  const data = each(TASKS, (task) => each(POSITIONS, (positions) => all[task]?.[positions]?.[part]));
  const file = join(ROOT, `web/elements/position-training/computed-${part}.json`);
  writeFileSync(file, await format(JSON.stringify(data), { parser: 'json', printWidth: 120 }));
}
