/**
 * The messages between the page and the training worker, over a real channel, which clones every message and delivers
 * it in its turn.
 */
import { afterEach, describe, expect, test } from '@jest/globals';
import { Training, type Progress } from '../../web/training/train.js';
import { Trainer, type TrainingWorker } from '../../web/training/trainer.js';
import { attention } from '../support/library.js';
import { closeWorkers, listener, worker } from '../support/trainingWorker.js';

const small = { numHiddens: 16, ffnHiddens: 32, length: 8, vocabulary: 8, batch: 4, steps: 30 };
const endless = { ...small, steps: 1_000_000 };

afterEach(closeWorkers);

/** Long enough for many steps: one takes a millisecond or two with these models. */
const wait = () => new Promise((resolve) => setTimeout(resolve, 60));

const withoutSpeed = ({ step, loss, accuracy, snapshot }: Progress) => ({ step, loss, accuracy, snapshot });

describe('training in a worker', () => {
  test('reports every step with the same numbers as a run without a worker, and then the end', async () => {
    const events = listener();
    const trainer = new Trainer(worker, events.handlers);
    expect(trainer.running).toBe(false);
    trainer.start({ ...small, seed: 4 });
    expect(trainer.running).toBe(true);
    await events.until('ended');
    expect(trainer.running).toBe(false);

    const training = new Training(attention, { ...small, seed: 4 });
    const expected = Array.from({ length: 30 }, () => withoutSpeed(training.step()));
    const steps = events.heard.filter(({ name }) => name === 'progress').map(({ value }) => value as Progress);
    expect(steps.map(withoutSpeed)).toEqual(expected);
    expect(events.names()).toEqual(['started', 'ended']);
    const { settings, chance, parameterCount } = training;
    expect(events.last('started')).toMatchObject({ settings, chance, parameterCount });
    expect(events.last('ended')).toMatchObject({
      reason: 'finished',
      steps: 30,
      accuracy: training.evaluate(64),
    });
    training.dispose();
  });

  test('pauses and resumes with the next step', async () => {
    const events = listener();
    const trainer = new Trainer(worker, events.handlers);
    trainer.start(endless);
    await events.until('progress', 5);
    trainer.pause();
    await events.until('paused');
    const steps = events.count('progress');
    await wait();
    expect(events.count('progress')).toBe(steps);
    expect(trainer.running).toBe(true);
    trainer.resume();
    await events.until('progress', steps + 3);
    expect(events.names()).toEqual(['started', 'paused', 'resumed']);
    const numbers = events.heard.filter(({ name }) => name === 'progress').map(({ value }) => (value as Progress).step);
    expect(numbers).toEqual(numbers.map((_, i) => i + 1));
    trainer.cancel();
    await events.until('ended');
  });

  test.each([false, true])('stops when cancelled and reports no further progress (paused: %s)', async (paused) => {
    const events = listener();
    const trainer = new Trainer(worker, events.handlers);
    trainer.start(endless);
    await events.until('progress', 3);
    if (paused) {
      trainer.pause();
      await events.until('paused');
    }
    trainer.cancel();
    trainer.cancel();
    expect(trainer.running).toBe(false);
    const steps = events.count('progress');
    await events.until('ended');
    await wait();
    expect(events.count('progress')).toBe(steps);
    expect(events.count('ended')).toBe(1);
    const ended = events.last('ended') as { reason: string; steps: number };
    expect(ended.reason).toBe('cancelled');
    expect(ended).not.toHaveProperty('accuracy');
    // The worker reads the message between two steps: by then it has done at most the step it was in and one more.
    expect(ended.steps - steps).toBeLessThanOrEqual(2);
  });

  test('replaces the current run by the next one, in the same worker', async () => {
    const events = listener();
    let created = 0;
    const trainer = new Trainer(() => (++created, worker()), events.handlers);
    trainer.start({ ...endless, seed: 1 });
    await events.until('progress', 3);
    trainer.start({ ...small, seed: 2 });
    await events.until('ended');
    await wait();
    expect(created).toBe(1);
    expect(events.names()).toEqual(['started', 'started', 'ended']);
    expect(events.last('ended')).toMatchObject({ reason: 'finished', steps: 30, run: 2 });
    expect(events.heard.at(-1)!.name).toBe('ended');
  });

  test('can be cancelled before the library is loaded', async () => {
    const events = listener();
    let loaded: (() => void) | undefined;
    const load = () => new Promise<typeof attention>((resolve) => (loaded = () => resolve(attention)));
    const trainer = new Trainer(() => worker(load), events.handlers);
    trainer.start(endless);
    await new Promise((resolve) => setTimeout(resolve, 10));
    trainer.cancel();
    loaded!();
    await events.until('ended');
    expect(events.heard.map(({ name }) => name)).toEqual(['ended']);
  });

  test('reports impossible settings and accepts the next ones', async () => {
    const events = listener();
    const trainer = new Trainer(worker, events.handlers);
    trainer.start({ ...small, numHeads: 3 });
    await events.until('failed');
    expect(events.last('failed')).toMatchObject({
      message: 'training: expected numHiddens to be a multiple of numHeads (3), got 16',
    });
    expect(trainer.running).toBe(false);
    trainer.start(small);
    await events.until('ended');
    expect(events.names()).toEqual(['failed', 'started', 'ended']);
  });

  test('reports a library that does not load', async () => {
    const events = listener();
    const trainer = new Trainer(() => worker(() => Promise.reject(new Error('no SIMD'))), events.handlers);
    trainer.start(small);
    await events.until('failed');
    expect(events.last('failed')).toMatchObject({ message: 'no SIMD' });
  });

  test('terminates a worker that does not answer, and creates another for the next run', async () => {
    const events = listener();
    const deaf = {
      postMessage: () => undefined,
      onmessage: null,
      onerror: null,
      terminated: false,
      terminate: () => undefined,
    };
    deaf.terminate = () => void (deaf.terminated = true);
    const workers: TrainingWorker[] = [deaf];
    const trainer = new Trainer(() => workers.pop() ?? worker(), events.handlers);
    trainer.start(endless);
    trainer.cancel();
    expect(deaf.terminated).toBe(false);
    await events.until('ended');
    expect(deaf.terminated).toBe(true);
    expect(events.last('ended')).toMatchObject({ reason: 'cancelled', steps: 0 });
    trainer.start(small);
    await events.until('ended', 2);
    expect(events.last('ended')).toMatchObject({ reason: 'finished' });
  });

  test('reports that the script of the worker failed', () => {
    const events = listener();
    let made: ReturnType<typeof worker> | undefined;
    const trainer = new Trainer(() => (made = worker()), events.handlers);
    trainer.start(endless);
    made!.onerror!({ message: 'blocked' });
    expect(events.heard).toEqual([{ name: 'failed', value: { message: 'blocked' } }]);
    expect(made!.terminated).toBe(true);
    expect(trainer.running).toBe(false);
  });

  test('ends at once when it is disposed, and reports nothing more', async () => {
    const events = listener();
    let made: ReturnType<typeof worker> | undefined;
    const trainer = new Trainer(() => (made = worker()), events.handlers);
    trainer.start({ ...small, steps: 200 });
    await events.until('progress', 2);
    trainer.dispose();
    expect(made!.terminated).toBe(true);
    const steps = events.count('progress');
    await wait();
    expect(events.count('progress')).toBe(steps);
    expect(events.names()).toEqual(['started']);
  });
});
