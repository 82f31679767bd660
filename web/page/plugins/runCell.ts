import { partsOf } from '../cells/program.js';
import { consoleOf, createShow } from '../cells/show.js';
import type { CellOutput } from '../cells/messages.js';

/**
 * Runs a cell as its worker does (../cells/runtime.ts), but without a sandbox. Rethrows a cell's error with its code.
 */
export async function runCell(code: string): Promise<readonly CellOutput[]> {
  const outputs: CellOutput[] = [];
  const { show, log } = createShow((message) => {
    if (message.type === 'cut') throw new RangeError('expected less output');
    outputs.push(message as CellOutput);
  });
  // The sources, because the page is built without the package. Imported late, because they need `__VERSION__`
  // (../vite.config.ts).
  const library = await import('../../lib/index.js');
  const scope = globalThis as Record<string, unknown>;
  const name = `cell${++count}`;
  scope[name] = { show, console: consoleOf(log), library };
  const names = Object.keys(library).join();
  const libraryModule = moduleOf(`const { ${names} } = ${name}.library; export { ${names} };`);
  const program = partsOf(code).join(JSON.stringify(libraryModule));
  try {
    await import(/* @vite-ignore */ moduleOf(`const { show, console } = ${name}; ${program}`));
  } catch (cause) {
    throw new Error(`prose: expected a code cell to run to its end, got ${String(cause)}: ${code}`, {
      cause,
    });
  } finally {
    Reflect.deleteProperty(scope, name);
  }
  return outputs;
}

let count = 0;

/** The URL of a module. Each module has its own, since a URL is evaluated only once. */
function moduleOf(text: string): string {
  return `data:text/javascript,${encodeURIComponent(text)}`;
}
