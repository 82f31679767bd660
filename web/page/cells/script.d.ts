/** A script with everything that it imports, but without the wasm: plugins/scriptText.ts. */
declare module '*?script' {
  const text: string;
  export default text;
}
