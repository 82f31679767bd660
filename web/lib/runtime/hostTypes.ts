/** What TypeScript knows only with lib.dom or lib.webworker; without them, any object. */
export type WasmModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } }
  ? Module
  : object;
export type WebWorker = typeof globalThis extends { Worker: { prototype: infer Worker } } ? Worker : object;
export type WebFile = typeof globalThis extends { File: { prototype: infer File } } ? File : object;
export type WebDirectory = typeof globalThis extends { FileSystemDirectoryHandle: { prototype: infer Handle } }
  ? Handle
  : object;
export type WebDrop = typeof globalThis extends { DataTransfer: { prototype: infer Drop } } ? Drop : object;
