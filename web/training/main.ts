/**
 * The command line: `npm run train -- --positions learned --task reverse --seed 1 --steps 1000` prints the learning
 * curve.
 */
import { parseArgs } from 'node:util';
import { load } from 'wasm-attention';
import { DEFAULTS, POSITIONS, TASKS, type TrainingSettings } from './settings.js';
import { Training } from './train.js';

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const names = (Object.keys(DEFAULTS) as (keyof TrainingSettings)[]).filter((name) => name !== 'snapshotEvery');

const usage = `usage: npm run train -- [options]
  --task         ${TASKS.join(' | ')}
  --positions    ${POSITIONS.join(' | ')}
  --every        steps between two printed lines (default 25)
and, with their defaults, ${names
  .slice(2)
  .map((name) => `--${kebab(name)} ${DEFAULTS[name]}`)
  .join(' ')}`;

/**
 * The text as a number or a boolean if the setting is one. Other text is returned as it is, and the check of settings
 * rejects it.
 */
function parsed(name: keyof TrainingSettings, text: string): string | number | boolean {
  if (typeof DEFAULTS[name] === 'boolean') return text === 'true' || (text === 'false' ? false : text);
  if (typeof DEFAULTS[name] !== 'number') return text;
  const value = Number(text);
  return text.trim() === '' || Number.isNaN(value) ? text : value;
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

async function main(): Promise<void> {
  const options = Object.fromEntries([...names.map(kebab), 'every'].map((name) => [name, { type: 'string' as const }]));
  const { values } = parseArgs({ options: { ...options, help: { type: 'boolean' } } });
  const given = values as Record<string, string | undefined>;
  if (values.help) {
    console.log(usage);
    return;
  }
  const settings = Object.fromEntries(
    names.flatMap((name) => {
      const text = given[kebab(name)];
      return text === undefined ? [] : [[name, parsed(name, text)]];
    }),
  ) as Partial<TrainingSettings>;
  const every = Number(given.every ?? 25);
  if (!Number.isInteger(every) || every < 1)
    throw new RangeError(`training: expected every to be a whole number of at least 1, got ${given.every}`);

  const training = new Training(await load(), settings);
  const { task, positions, seed } = training.settings;
  console.log(
    `${task}, positions: ${positions}, seed ${seed}; ${training.parameterCount} parameters, chance ${percent(training.chance)}`,
  );
  console.log('  step    loss  accuracy  steps/s');
  const started = performance.now();
  let learned = '99 % was not reached';
  let reached = false;
  while (!training.finished) {
    const { step, loss, accuracy, stepsPerSecond } = training.step();
    if (step === 1 || step % every === 0 || training.finished) {
      const cells = [String(step), loss.toFixed(4), percent(accuracy), stepsPerSecond.toFixed(1)];
      console.log(cells.map((cell, i) => cell.padStart([6, 8, 10, 9][i]!)).join(''));
    }
    if (accuracy >= 0.99 && !reached) {
      reached = true;
      learned = `99 % at step ${step}, after ${((performance.now() - started) / 1000).toFixed(1)} s`;
    }
  }
  console.log(`${learned}; on 256 other sequences ${percent(training.evaluate(256))}`);
  training.dispose();
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  console.error(usage);
  process.exitCode = 2;
});
