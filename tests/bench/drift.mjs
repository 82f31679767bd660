/** How far smaller types are from float32, for the checkpoints in tests/fixtures. */
import { readdirSync, readFileSync } from 'node:fs';

const FIXTURES = new URL('../fixtures/', import.meta.url);
/** Only stories260K has been trained; the weights of the others are random. */
const TRAINED = 'stories260K';
const TOKENS = 1000;

const read = (path) => readFileSync(new URL(path, FIXTURES));
const json = (path) => JSON.parse(read(path));

/** 1,000 tokens: text that a trained model writes itself, or each row of the fixture's ids; or its pictures, at once. */
async function inputsOf(model, folder) {
  const { readSafetensors } = await import('../../dist/safetensors.js');
  if (model.vocabSize === 0) return [readSafetensors(read(`${folder}/expected.safetensors`)).pixel_values];
  if (folder !== TRAINED) return json(`${folder}/expected.json`).ids;
  const rows = [];
  for (let seed = 1; rows.length < TOKENS / 200; ++seed) {
    const row = [1];
    for await (const id of model.generate(row, { maxTokens: 200, temperature: 1, topP: 0.95, seed })) row.push(id);
    if (row.length >= 200) rows.push(row.slice(0, 200));
  }
  return rows;
}

/** For each checkpoint, and smaller type: the cosine, changed tokens in 1,000, and the divergence. */
export async function measureDrift({ progress }) {
  const { drift, openModel } = await import('../../dist/models.js');
  const folders = [TRAINED, ...readdirSync(new URL('models', FIXTURES)).map((name) => `models/${name}`)];
  const rows = [];
  for (const folder of folders) {
    progress(`drift: ${folder}`);
    const config = json(`${folder}/config.json`);
    const weights = read(`${folder}/model.safetensors`);
    const checkpoint = { config, weights, ...(config.vision_config && { part: 'vision' }) };
    const reference = await openModel(checkpoint);
    const inputs = await inputsOf(reference, folder);
    const count = (input) => input.length ?? 1;
    const total = inputs.reduce((sum, input) => sum + count(input), 0);
    for (const weightType of ['float16', 'int8', 'int8-fine']) {
      const model = await openModel({ ...checkpoint, weightType });
      // Rows of unequal length one by one.
      const found = inputs.map((input) => drift(reference, model, input));
      const mean = (key) => found.reduce((sum, one, i) => sum + one[key] * count(inputs[i]), 0) / total;
      const cosine = Math.min(...found.map((one) => one.cosine));
      rows.push({ folder, weightType, cosine, flips: mean('flips'), divergence: mean('divergence') });
      model.dispose();
    }
    reference.dispose();
  }
  return rows;
}
