import type { Numbers } from './close.js';
import type { Fixture } from './fixtures.js';

/** A convolution's input and options. The causal fixture names zeros to be added on the left. */
export function convolutionInputs(
  fixture: Fixture,
): [Numbers, { bias: Numbers; stride: number; padding: number; dilation: number; groups: number }] {
  const {
    stride,
    padding,
    dilation,
    groups,
    causal_left_padding = 0,
  } = fixture.attributes as Record<'stride' | 'padding' | 'dilation' | 'groups', number> & {
    causal_left_padding?: number;
  };
  const x = fixture.input('x');
  const [B, C, n] = x.shape as [number, number, number];
  const padded = new Float32Array(B * C * (n + causal_left_padding));
  for (let row = 0; row < B * C; ++row) {
    padded.set(x.data.subarray(row * n, (row + 1) * n), row * (n + causal_left_padding) + causal_left_padding);
  }
  const shape = [B, C, n + causal_left_padding];
  return [
    { data: padded, shape },
    { bias: fixture.input('bias'), stride, padding, dilation, groups },
  ];
}
