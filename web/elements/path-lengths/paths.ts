/** A unit of a diagram: layer 0 holds the tokens; `token` counts from 0. */
export interface Unit {
  readonly layer: number;
  readonly token: number;
}

/** A connection: `to` reads `from`. */
export interface Leg {
  readonly from: Unit;
  readonly to: Unit;
}

/** How the paths of two tokens meet in a diagram. */
export interface Meeting {
  /** The paths of the two tokens. Each leg starts where the previous one ended. */
  readonly ways: readonly [readonly Leg[], readonly Leg[]];
  /** Where both paths end; undefined if there are too few layers. */
  readonly at: Unit | undefined;
}

/**
 * How far a kernel of k taps reaches to each side; for even k one further to the right, as in PyTorch's
 * `padding='same'`.
 */
export function kernelReach(k: number): { readonly left: number; readonly right: number } {
  const left = Math.floor((k - 1) / 2);
  return { left, right: k - 1 - left };
}

/** Every connection of a stack of convolutions over n tokens. */
export function convolutionLegs(n: number, k: number, layers: number): Leg[] {
  const { left, right } = kernelReach(k);
  const legs: Leg[] = [];
  for (let layer = 1; layer <= layers; ++layer) {
    for (let token = 0; token < n; ++token) {
      for (let read = Math.max(0, token - left); read <= Math.min(n - 1, token + right); ++read) {
        legs.push({ from: { layer: layer - 1, token: read }, to: { layer, token } });
      }
    }
  }
  return legs;
}

/**
 * The paths of tokens i ≤ j to the nearest unit of a stack of convolutions with both in its receptive field. If there
 * are too few layers, each path goes as far towards the other as it can.
 */
export function convolutionMeeting(i: number, j: number, k: number, layers: number): Meeting {
  const { left, right } = kernelReach(k);
  // A unit reads `left` tokens to its left, so a path moves at most that far to the right per layer, and at most
  // `right` to the left.
  let needed = 1;
  while (needed <= layers && needed * (left + right) < j - i) ++needed;
  if (needed > layers) {
    return {
      ways: [way(i, Math.min(j, i + layers * left), layers), way(j, Math.max(i, j - layers * right), layers)],
      at: undefined,
    };
  }
  const middle = Math.floor((i + j) / 2);
  const token = Math.min(Math.max(middle, j - needed * right), i + needed * left);
  return { ways: [way(i, token, needed), way(j, token, needed)], at: { layer: needed, token } };
}

/** A path up `layers` layers from one token to another, in equal steps except for rounding. */
function way(from: number, to: number, layers: number): Leg[] {
  const unit = (layer: number): Unit => ({
    layer,
    token: from + Math.round(((to - from) * layer) / layers),
  });
  return Array.from({ length: layers }, (_, layer) => ({ from: unit(layer), to: unit(layer + 1) }));
}

/** Every connection of a recurrent layer: a state reads its token and the previous state. */
export function recurrentLegs(n: number): Leg[] {
  const tokens = Array.from({ length: n }, (_, token) => token);
  return [...tokens.map(enter), ...tokens.slice(1).map((token) => step(token - 1))];
}

/** The paths of tokens i ≤ j to the state after j, the first that depends on both. */
export function recurrentMeeting(i: number, j: number): Meeting {
  const steps = Array.from({ length: j - i }, (_, before) => step(i + before));
  return { ways: [[enter(i), ...steps], [enter(j)]], at: { layer: 1, token: j } };
}

const enter = (token: number): Leg => ({ from: { layer: 0, token }, to: { layer: 1, token } });
const step = (token: number): Leg => ({ from: { layer: 1, token }, to: { layer: 1, token: token + 1 } });

/** Every connection of a layer of self-attention. */
export function attentionLegs(n: number): Leg[] {
  return Array.from({ length: n * n }, (_, at) => ({
    from: { layer: 0, token: at % n },
    to: { layer: 1, token: Math.floor(at / n) },
  }));
}

/** Tokens i and j meet in the output at j, as they do in any other. */
export function attentionMeeting(i: number, j: number): Meeting {
  const read = (token: number): Leg => ({ from: { layer: 0, token }, to: { layer: 1, token: j } });
  return { ways: [[read(i)], [read(j)]], at: { layer: 1, token: j } };
}
