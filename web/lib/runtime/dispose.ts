/// <reference lib="esnext.disposable" preserve="true" />

/** `Symbol.dispose`, or its stand-in in engines that do not have it yet. */
export const disposeSymbol: typeof Symbol.dispose =
  Symbol.dispose ?? (Symbol.for('Symbol.dispose') as typeof Symbol.dispose);
