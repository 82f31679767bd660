/** Garbage collection at will. */
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Collects everything that nothing refers to, and lets the finalizers run: they are tasks of their own. */
export async function collect(): Promise<void> {
  gc();
  for (let i = 0; i < 3; ++i) await setImmediate();
}

/** Bytes that JavaScript's own heap holds after a collection. */
export async function usedBytes(): Promise<number> {
  await collect();
  gc();
  return process.memoryUsage().heapUsed;
}
