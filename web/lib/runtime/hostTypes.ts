/** What TypeScript knows only with lib.dom or lib.webworker; without them, any object. */
export type WasmModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } }
  ? Module
  : object;
export type WebWorker = typeof globalThis extends { Worker: { prototype: infer Worker } } ? Worker : object;
