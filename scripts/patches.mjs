// Trains both models of <patch-positions> and writes them to its folder: config.json and model.safetensors, as transformers'
// SiglipForImageClassification reads them, matrices in float16.
//   usage: patches.mjs      `npm run train:patches`; tests/elements/patch-positions.test.ts checks what is written
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';

const ROOT = join(import.meta.dirname, '..');
const { load, writeSafetensors } = await import(join(ROOT, 'dist/index.js'));
const { CONFIG } = await import(join(ROOT, 'build/training/patches/model.js'));
const { heldOut, trainPatches } = await import(join(ROOT, 'build/training/patches/train.js'));

/** By folder: whether the model knows positions, and how many steps it needs. Without positions there is little to learn. */
const MODELS = {
  'with-positions': { positions: true, steps: 3000, seed: 3 },
  'without-positions': { positions: false, steps: 1000, seed: 3 },
};
const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(2)} %`;

const attention = await load();
for (const [name, settings] of Object.entries(MODELS)) {
  console.log(`${name}\n  step    loss  accuracy`);
  const model = trainPatches(
    attention,
    settings,
    (/** @type {{ step: number, loss: number, accuracy: number }} */ { step, loss, accuracy }) =>
      console.log([String(step).padStart(6), loss.toFixed(4).padStart(8), percent(accuracy).padStart(10)].join('')),
  );
  console.log(`on 4000 other pictures ${percent(model.evaluate(heldOut(settings.seed, 4000)))}`);
  const folder = join(ROOT, 'web/elements/patch-positions', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), await format(JSON.stringify(CONFIG), { parser: 'json', printWidth: 120 }));
  writeFileSync(join(folder, 'model.safetensors'), writeSafetensors(model.state(), { weightType: 'float16' }));
  model.dispose();
}
