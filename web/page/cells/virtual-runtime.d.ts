declare module 'virtual:wasm-attention/cell-runtime' {
  /** runtime.ts and all that it imports, the library without its wasm included, as one classic script. */
  const script: string;
  export default script;
  /** The wasm that the script is handed. */
  export function embeddedWasm(): Uint8Array;
}
