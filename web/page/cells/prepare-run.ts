import wasm from '../../../build/glue/embedded.js';
import { programOf, type CellProgram } from './program.js';
import runtime from 'virtual:wasm-attention/cell-runtime';

let bytes: Uint8Array | undefined;

/** All that a worker needs to run a cell. Throws a `ForeignImport` where the code imports anything but the library. */
export function prepareRun(code: string): { program: CellProgram; wasm: Uint8Array } {
  bytes ??= Uint8Array.from(atob(wasm), (character) => character.charCodeAt(0));
  return { program: programOf(code, runtime), wasm: bytes };
}
