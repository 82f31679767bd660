import { zeros, type Numbers, type Reference } from './tensor.js';

export interface RecurrentReferenceWeights {
  weightIh: Numbers;
  weightHh: Numbers;
  biasIh?: Numbers;
  biasHh?: Numbers;
}

/** h_t = act(W_ih·x_t + b_ih + W_hh·h_{t-1} + b_hh); x (B, n, Din), states (B, D). */
export function rnn(
  x: Numbers,
  { weightIh, weightHh, biasIh, biasHh }: RecurrentReferenceWeights,
  { initialState, nonlinearity = 'tanh' }: { initialState?: Numbers; nonlinearity?: 'tanh' | 'relu' } = {},
): { output: Reference; finalState: Reference } {
  const [B, n, ins] = x.shape as [number, number, number];
  const D = weightHh.shape[0]!;
  const output = zeros(B, n, D);
  const finalState = zeros(B, D);
  for (let b = 0; b < B; ++b) {
    let state = Array.from({ length: D }, (_, d) => (initialState ? initialState.data[b * D + d]! : 0));
    for (let t = 0; t < n; ++t) {
      const next: number[] = [];
      for (let d = 0; d < D; ++d) {
        let sum = (biasIh ? biasIh.data[d]! : 0) + (biasHh ? biasHh.data[d]! : 0);
        for (let i = 0; i < ins; ++i) sum += weightIh.data[d * ins + i]! * x.data[(b * n + t) * ins + i]!;
        for (let i = 0; i < D; ++i) sum += weightHh.data[d * D + i]! * state[i]!;
        next.push(nonlinearity === 'tanh' ? Math.tanh(sum) : Math.max(0, sum));
      }
      state = next;
      output.data.set(state, (b * n + t) * D);
    }
    finalState.data.set(state, b * D);
  }
  return { output, finalState };
}
