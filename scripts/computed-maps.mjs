// Trains the models of <position-training> with seed 1 and writes where their heads look afterwards to
// web/elements/position-training/computed-maps.json: two hexadecimal digits a weight, which computed-maps.ts reads.
//   usage: computed-maps.mjs      `npm run train:maps`; tests/elements/long/position-training.test.ts fails if it is needed
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const { load } = await import(join(ROOT, 'dist/index.js'));
const { POSITIONS, TASKS, Training } = await import(join(ROOT, 'build/training/index.js'));

const attention = await load();
/** @param {string} task @param {string} positions */
function mapsOf(task, positions) {
  const training = new Training(attention, { task, positions });
  while (!training.finished) training.step();
  /** @type {number[]} */
  const weights = [...training.snapshot().weights.data];
  training.dispose();
  // Without positions all weights are about 1/32.
  const unit = positions === 'none' ? 1000 : 100;
  const digits = (/** @type {number} */ weight) =>
    Math.round(unit * weight)
      .toString(16)
      .padStart(2, '0');
  return weights.map(digits).join('');
}

/** @param {readonly string[]} names @param {(name: string) => unknown} make */
const each = (names, make) => Object.fromEntries(names.map((name) => [name, make(name)]));
const maps = each(TASKS, (task) => each(POSITIONS, (positions) => mapsOf(task, positions)));
writeFileSync(
  join(ROOT, 'web/elements/position-training/computed-maps.json'),
  `${JSON.stringify(maps, undefined, 2)}\n`,
);
