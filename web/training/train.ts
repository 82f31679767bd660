/** A training run, step by step. The same code runs in a worker (serve.ts) and from the command line (main.ts). */
import type { WasmAttention } from 'wasm-attention';
import { highest, Model } from './model.js';
import { checkSettings, type Snapshot, type TrainingSettings } from './settings.js';
import { accuracyOf, chance, randomBatch, randomNumbers, type Batch } from './task.js';

/** The result of a step. Everything except the speed is determined by the settings, to the bit. */
export interface Progress {
  /** Batches learned from so far, 1 after the first. */
  readonly step: number;
  /** Mean cross-entropy of the step's batch in nats, before learning from it. */
  readonly loss: number;
  /**
   * The share of right answers in the step's batch, before learning from it. No batch is used twice, so these are
   * unseen sequences.
   */
  readonly accuracy: number;
  /** Over the run so far, without pauses. */
  readonly stepsPerSecond: number;
  /** After the first, the last and every `snapshotEvery`th step. */
  readonly snapshot?: Snapshot;
}

/** Separate random streams, so that draws from one do not change the others. */
const [TRAINING_STREAM, HELD_OUT_STREAM] = [0x9e3779b9, 0x7f4a7c15];

/**
 * One run. It owns memory of the wasm module until `dispose()`.
 *
 * @example
 * const training = new Training(await load(), { task: 'reverse', positions: 'learned', seed: 1 });
 * while (!training.finished) console.log(training.step());
 * console.log(training.evaluate(256));
 * training.dispose();
 */
export class Training {
  readonly settings: TrainingSettings;
  /** The accuracy that is possible without knowing the order. */
  readonly chance: number;
  readonly #model: Model;
  readonly #random: () => number;
  /** The sequence of all snapshots, so that they show only changes of the model. */
  readonly #shown: Int32Array;
  #steps = 0;
  #milliseconds = 0;

  /** @throws as `checkSettings` does */
  constructor(attention: WasmAttention, settings?: Partial<TrainingSettings>) {
    this.settings = checkSettings(settings);
    this.chance = chance(this.settings);
    this.#model = new Model(attention, this.settings);
    this.#random = randomNumbers(this.settings.seed ^ TRAINING_STREAM);
    this.#shown = this.heldOut(1).tokens;
  }

  /** Whether all steps are done. You may still call `step`. */
  get finished(): boolean {
    return this.#steps >= this.settings.steps;
  }

  /** The number of trainable numbers. */
  get parameterCount(): number {
    return this.#model.parameterCount;
  }

  /** Learns from one batch. */
  step(): Progress {
    const started = performance.now();
    const batch = randomBatch(this.settings, this.#random, this.settings.batch);
    const { loss, logits } = this.#model.learn(batch);
    const accuracy = accuracyOf(highest(logits), batch.targets);
    const step = ++this.#steps;
    this.#milliseconds += performance.now() - started;
    const stepsPerSecond = (1000 * step) / this.#milliseconds;
    const progress = { step, loss, accuracy, stepsPerSecond };
    const shows = step === 1 || step % this.settings.snapshotEvery === 0 || this.finished;
    return shows ? { ...progress, snapshot: this.snapshot() } : progress;
  }

  /** A view into the current model. */
  snapshot(): Snapshot {
    return { weights: this.#model.weights(this.#shown) };
  }

  /** The first `count` held-out sequences. */
  heldOut(count: number): Batch {
    return randomBatch(this.settings, randomNumbers(this.settings.seed ^ HELD_OUT_STREAM), count);
  }

  /** The model's answer at each place of each sequence. */
  answer(batch: Pick<Batch, 'count' | 'tokens'>): Int32Array {
    return highest(this.#model.forward(batch));
  }

  /** The accuracy on `count` held-out sequences. */
  evaluate(count: number): number {
    const batch = this.heldOut(count);
    return accuracyOf(this.answer(batch), batch.targets);
  }

  /**
   * The accuracy on `count` sequences of another length, a multiple of the vocabulary; undefined if there are no
   * positions for that length.
   */
  evaluateAt(length: number, count: number): number | undefined {
    if (length > this.#model.longest) return undefined;
    const settings = checkSettings({ ...this.settings, length });
    const batch = randomBatch(settings, randomNumbers(settings.seed ^ HELD_OUT_STREAM), count);
    return accuracyOf(this.answer(batch), batch.targets);
  }

  dispose(): void {
    this.#model.dispose();
  }
}
