/** What a thread of the pool runs: an instance of the module over the pool's memory, which waits for its share of loops. */
import { importsBy } from './embind.js';
import type { ThreadStart } from './threads.js';
import { serve } from './port.js';

serve(async (message) => {
  const { module, memory, imports, exports, stack, thread } = message as ThreadStart;
  // Kernels copy by themselves; should a library's copy be among what they call, it is not to do nothing.
  const memcpy_big = (to: number, from: number, count: number): unknown =>
    new Uint8Array(memory.buffer).copyWithin(to >>> 0, from >>> 0, (from >>> 0) + count);
  const given = importsBy(imports, { memory, memcpy_big });
  const instance = await WebAssembly.instantiate(module, { a: given });
  const call = (role: keyof typeof exports, ...args: number[]): void =>
    (instance.exports[exports[role]] as (...args: number[]) => void)(...args);
  call('stackRestore', stack);
  // The answer leaves before the thread stays in the module for good.
  setTimeout(() => {
    try {
      call('serveThread', thread);
    } catch (error) {
      call('reportDeath');
      throw error;
    }
  });
  return { message: 'ready', transfer: [] };
});
