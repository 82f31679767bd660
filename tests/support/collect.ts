/** Garbage collection at will. */
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/**
 * Collects everything that nothing refers to, and lets the finalizers run: tasks of their own, one for each registry. What these
 * let go of is collected the second time.
 */
export async function collect(): Promise<void> {
  for (let round = 0; round < 2; ++round) {
    gc();
    for (let i = 0; i < 10; ++i) await setImmediate();
  }
}

/** Bytes that JavaScript's own heap holds after a collection. */
export async function usedBytes(): Promise<number> {
  await collect();
  gc();
  return process.memoryUsage().heapUsed;
}
