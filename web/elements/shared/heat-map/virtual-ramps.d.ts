declare module 'virtual:wasm-attention/ramps' {
  /** 256 colours of six hexadecimal digits each, lowest value first. */
  export const blues: string;
}
