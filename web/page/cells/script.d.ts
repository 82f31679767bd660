/** A script with everything that it imports, but without the wasm: scripts/workers.mjs. */
declare module '*?script' {
  const text: string;
  export default text;
}
