/** Runs the garbage collector when a test asks for it. */
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/**
 * Collects all garbage and lets the finalizers run, each registry's in its own task. The second round collects what the
 * finalizers let go of.
 */
export async function collect(): Promise<void> {
  for (let round = 0; round < 2; ++round) {
    gc();
    for (let i = 0; i < 10; ++i) await setImmediate();
  }
}

/** Bytes in use on JavaScript's heap after a collection. */
export async function usedBytes(): Promise<number> {
  await collect();
  gc();
  return process.memoryUsage().heapUsed;
}
