/** The layers or heads from `first` to `last`, counted from 1. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/** The layers and heads that the overview draws. */
export interface Part {
  readonly layers: Span;
  readonly heads: Span;
}

/** The most layers, and the most heads of a layer, in the overview: a stranger's file may count a million. */
const MOST = 64;

/** The part of all layers and heads around a head. */
export function partAround(
  { layers, heads }: { readonly layers: number; readonly heads: number },
  { layer, head }: { readonly layer: number; readonly head: number },
): Part {
  return { layers: spanAround(layer, layers), heads: spanAround(head, heads) };
}

function spanAround(chosen: number, all: number): Span {
  // An attribute may be no number.
  const first = Math.max(1, Math.min(Math.floor(chosen) - MOST / 2, all - MOST + 1)) || 1;
  return { first, last: Math.min(all, first + MOST - 1) };
}

/** The numbers of a span. */
export function numbersIn({ first, last }: Span): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
