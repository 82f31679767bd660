/** The package's version; set by the build. */
declare const __VERSION__: string;

/** A wasm that the host compiles when it imports it. */
declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}
