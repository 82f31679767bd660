/** A whole run. */
import type { WasmAttention } from 'wasm-attention';
import { randomNumbers } from '../task.js';
import { PatchModel } from './model.js';
import { randomPicture } from './pictures.js';

const BATCH = 32;
const LEARNING_RATE = 3e-3;
/** Separate random streams, so that a seed does not begin with the pictures that the figure shows. */
const [TRAINING_STREAM, HELD_OUT_STREAM] = [0x9e3779b9, 0x7f4a7c15];

/** `count` pictures that the training with this seed does not begin with. */
export function heldOut(seed: number, count: number) {
  const random = randomNumbers(seed ^ HELD_OUT_STREAM);
  return Array.from({ length: count }, () => randomPicture(random));
}

/** How a run is going: the means of the last steps. */
export interface PatchProgress {
  readonly step: number;
  readonly loss: number;
  readonly accuracy: number;
}

/** Trains a model, and tells how it is going after every `every` steps. */
export function trainPatches(
  attention: WasmAttention,
  { positions, steps, seed }: { positions: boolean; steps: number; seed: number },
  tell?: (progress: PatchProgress) => void,
  every = 250,
): PatchModel {
  const model = new PatchModel(attention, positions, seed);
  const random = randomNumbers(seed ^ TRAINING_STREAM);
  let [loss, accuracy] = [0, 0];
  for (let step = 1; step <= steps; ++step) {
    const pictures = Array.from({ length: BATCH }, () => randomPicture(random));
    // Rises over 100 steps, and falls to zero in the last two fifths.
    const rate = LEARNING_RATE * Math.min(1, step / 100, (1 - step / steps) / 0.4);
    const learned = model.learn(pictures, rate);
    loss += learned.loss / every;
    accuracy += learned.accuracy / every;
    if (step % every > 0) continue;
    tell?.({ step, loss, accuracy });
    [loss, accuracy] = [0, 0];
  }
  return model;
}
