/** The script of a thread of the pool: it makes an instance of the module over the shared memory, which takes part in loops. */
import { importsOf } from './embind.js';
import type { ThreadStart } from './threads.js';
import { serve } from './port.js';

serve(async (message) => {
  const { module, memory, stack, thread } = message as ThreadStart;
  const { exports } = await WebAssembly.instantiate(module, importsOf({ memory }));
  const call = (name: string, ...args: number[]): void =>
    (exports[name] as (...args: number[]) => void)(...args);
  call('stackRestore', stack);
  // Later, so that the answer is posted first: the thread never returns from the module.
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
