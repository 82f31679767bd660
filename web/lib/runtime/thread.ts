/** The script of a thread of the pool: it instantiates the module over the shared memory and takes part in loops. */
import { importsOf } from './imports.js';
import type { ThreadStart } from './threads.js';
import { serve } from './port.js';

serve(async (message, post) => {
  const { module, memory, stack, thread } = message as ThreadStart;
  const { exports } = await WebAssembly.instantiate(module, importsOf(module, { memory }));
  const call = (name: string, ...args: number[]): void => (exports[name] as (...args: number[]) => void)(...args);
  (exports.__stack_pointer as WebAssembly.Global<'i32'>).value = stack;
  post('ready', []);
  // Deferred, so that the answer is sent first: the thread never returns from the module.
  setTimeout(() => {
    try {
      call('serveThread', thread);
    } catch (error) {
      call('reportDeath');
      throw error;
    }
  });
});
