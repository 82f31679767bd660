/** The worker's side: runs one step at a time and reads messages between the steps. */
import type { WasmAttention } from 'wasm-attention';
import type { FromWorker, Port, ToWorker } from './protocol.js';
import { Training, type Progress } from './train.js';

/** Sequences in the final evaluation: few enough for one frame, enough to know the accuracy to a fifth of a percent. */
const EVALUATED = 64;

/** The same for other lengths; longer sequences have more answers each. */
export const EVALUATED_AT_LENGTHS = 16;

/** The state of a run, which messages change. */
interface Run {
  readonly number: number;
  cancelled: boolean;
  paused: boolean;
  /** Wakes a paused run. */
  wake: () => void;
}

/** Answers the messages of `port`. The first run calls `load`. */
export function serve(port: Port<FromWorker, ToWorker>, load: () => Promise<WasmAttention>): void {
  let current: Run | undefined;
  const cancel = (run: Run | undefined): void => {
    if (!run) return;
    run.cancelled = true;
    run.wake();
  };
  port.onmessage = ({ data: message }) => {
    if (message.type === 'start') {
      cancel(current);
      const run: Run = { number: message.run, cancelled: false, paused: false, wake: () => undefined };
      current = run;
      void train(port, load, run, message);
      return;
    }
    if (current?.number !== message.run) return;
    if (message.type === 'cancel') cancel(current);
    else {
      current.paused = message.type === 'pause';
      current.wake();
    }
  };
}

async function train(
  port: Port<FromWorker, ToWorker>,
  load: () => Promise<WasmAttention>,
  run: Run,
  { settings: given, lengths = [] }: Extract<ToWorker, { type: 'start' }>,
): Promise<void> {
  const { number } = run;
  let training: Training | undefined;
  let steps = 0;
  try {
    const attention = await load();
    training = new Training(attention, given);
    const { settings, chance, parameterCount } = training;
    if (!run.cancelled) port.postMessage({ type: 'started', run: number, settings, chance, parameterCount });
    while (!training.finished) {
      await turn();
      if (run.paused && !run.cancelled) await pause(port, run);
      if (run.cancelled) break;
      const progress = training.step();
      steps = progress.step;
      port.postMessage({ type: 'progress', run: number, progress }, buffersOf(progress));
    }
    const accuracies: (number | undefined)[] = [];
    for (const length of lengths) {
      await turn();
      if (run.cancelled) break;
      accuracies.push(training.evaluateAt(length, EVALUATED_AT_LENGTHS));
    }
    await turn();
    const end = { type: 'ended', run: number, steps } as const;
    if (run.cancelled) port.postMessage({ ...end, reason: 'cancelled' });
    else port.postMessage({ ...end, reason: 'finished', accuracy: training.evaluate(EVALUATED), accuracies });
  } catch (error) {
    port.postMessage({
      type: 'failed',
      run: number,
      message: error instanceof Error ? error.message : String(error),
    });
  } finally {
    run.cancelled = true;
    training?.dispose();
  }
}

/**
 * Yields to the event loop, which delivers waiting messages. Posting a message is the fastest way: timers are delayed
 * by 4 ms after a few turns, and a promise does not yield. Each call makes a new channel, because an engine may deliver
 * all messages of one port before those of another.
 */
function turn(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** Waits until the run is resumed or cancelled. */
async function pause(port: Port<FromWorker, ToWorker>, run: Run): Promise<void> {
  port.postMessage({ type: 'paused', run: run.number });
  while (run.paused && !run.cancelled) {
    await new Promise<void>((resolve) => {
      run.wake = resolve;
    });
  }
  if (!run.cancelled) port.postMessage({ type: 'resumed', run: run.number });
}

/** The buffers to transfer to the page instead of copying them. Snapshots are copies, so the run does not need them. */
function buffersOf({ snapshot }: Progress): Transferable[] {
  return snapshot ? [snapshot.weights.data.buffer as ArrayBuffer] : [];
}
