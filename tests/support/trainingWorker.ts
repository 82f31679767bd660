/** A training worker that runs on the test's thread, and a listener for what a trainer reports. */
import type { FromWorker, Port, ToWorker } from '../../web/training/protocol.js';
import { serve } from '../../web/training/serve.js';
import type { TrainingWorker } from '../../web/training/trainer.js';
import { attention } from './library.js';

const open: MessagePort[] = [];
/** Closes the channels of all workers made so far. */
export const closeWorkers = (): void => open.splice(0).forEach((port) => port.close());

/** A training worker at the other end of a message channel, instead of in a thread. */
export function worker(load = () => Promise.resolve(attention)): TrainingWorker & { terminated: boolean } {
  const { port1, port2 } = new MessageChannel();
  open.push(port1);
  serve(port1 as unknown as Port<FromWorker, ToWorker>, load);
  const terminate = () => {
    port2.close();
    ends.terminated = true;
  };
  const ends = Object.assign(port2 as unknown as TrainingWorker, {
    terminate,
    terminated: false,
    onerror: null,
  });
  return ends;
}

/** Handlers for a trainer that record every call, and `until`, which waits for calls. */
export function listener() {
  const heard: { name: string; value: unknown }[] = [];
  const waiting: { name: string; count: number; resolve: () => void }[] = [];
  const count = (name: string) => heard.filter((one) => one.name === name).length;
  const hear = (name: string) => (value?: unknown) => {
    heard.push({ name, value });
    for (const wait of waiting) if (wait.name === name && count(name) >= wait.count) wait.resolve();
  };
  return {
    handlers: {
      started: hear('started'),
      progress: hear('progress'),
      paused: hear('paused'),
      resumed: hear('resumed'),
      ended: hear('ended'),
      failed: hear('failed'),
    },
    heard,
    count,
    names: () => heard.map(({ name }) => name).filter((name) => name !== 'progress'),
    last: (name: string) => heard.filter((one) => one.name === name).at(-1)!.value,
    until: (name: string, times = 1) =>
      new Promise<void>((resolve) => {
        waiting.push({ name, count: times, resolve });
        if (count(name) >= times) resolve();
      }),
  };
}
