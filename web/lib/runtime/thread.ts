/**
 * The script of a thread of the pool: it makes an instance of the module over the shared memory, which takes part in
 * loops.
 */
import { importsOf } from './imports.js';
import type { ThreadStart } from './threads.js';
import { serve } from './port.js';

serve(async (message, post) => {
  const { module, memory, stack, thread } = message as ThreadStart;
  const { exports } = await WebAssembly.instantiate(module, importsOf(module, { memory }));
  const call = (name: string, ...args: number[]): void => (exports[name] as (...args: number[]) => void)(...args);
  (exports.__stack_pointer as WebAssembly.Global<'i32'>).value = stack;
  post('ready', []);
  // Later, so that the answer leaves first: the thread never returns from the module.
  setTimeout(() => {
    try {
      call('serveThread', thread);
    } catch (error) {
      call('reportDeath');
      throw error;
    }
  });
});
