import { programOf, type CellProgram } from './program.js';
import runtime from './runtime.ts?script';
// The copy that the page has in any case; the package exports none.
// eslint-disable-next-line no-restricted-imports
import { embeddedWasm } from '../../lib/runtime/embedded.js';

let bytes: Uint8Array | undefined;

/** All that a worker needs to run a cell. Throws a `ForeignImport` where the code imports anything but the library. */
export function prepareRun(code: string): { program: CellProgram; wasm: Uint8Array } {
  bytes ??= embeddedWasm();
  return { program: programOf(code, runtime), wasm: bytes };
}
