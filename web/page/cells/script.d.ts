/** A script bundled with its imports, but without the wasm: plugins/scriptText.ts. */
declare module '*?script' {
  const text: string;
  export default text;
}
