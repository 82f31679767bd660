/** The forward option `positions` of the layers with rotary positions. */
import { describe, expect, test } from '@jest/globals';
import type { RotaryOptions, Tensor } from 'wasm-attention';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { dot } from '../support/differences.js';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';
import { testRejections, type Rejection } from '../support/rejections.js';

const size = { numHiddens: 24, numHeads: 2, seed: 3 };
const random = new Random(1);
const [B, L] = [3, 5];
const x = random.tensor([B, L, 24]);
const G = random.tensor([B, L, 24]);

interface Pass {
  output: Tensor;
  backward?: (g: Tensor) => object;
}
/** Both layers as functions of their input, which also return the input's gradient. */
const LAYERS = {
  MultiHeadAttention(rotary?: RotaryOptions) {
    const layer = new attention.MultiHeadAttention({ ...size, ...(rotary && { rotary }) });
    return (of: Tensor, options: object): Pass => layer.forward(of, of, of, options);
  },
  TransformerEncoderLayer(rotary?: RotaryOptions) {
    const layer = new attention.TransformerEncoderLayer({
      ...size,
      ffnHiddens: 8,
      ...(rotary && { rotary }),
    });
    return (of: Tensor, options: object): Pass => layer.forward(of, options);
  },
};

const row = (tensor: Tensor, b: number): Tensor => ({
  data: tensor.data.slice(b * L * 24, (b + 1) * L * 24),
  shape: [1, L, 24],
});
const lists = (...shape: number[]) => ({
  data: Array.from({ length: shape.reduce((a, b) => a * b) }, () => random.integer(0, 200)),
  shape,
});

describe.each(Object.entries(LAYERS))('%s with positions', (_name, make) => {
  test.each([{}, { scaling: { type: 'dynamic', factor: 2, originalMaxLength: 4 } }] as RotaryOptions[])(
    'gives the same as without, for the positions of each token: %j',
    (rotary) => {
      const forward = make(rotary);
      const training = { training: true };
      const expected = forward(x, { ...training, offset: 7 });
      const gradients = expected.backward!(G);
      for (const options of [
        { positions: [7, 8, 9, 10, 11] },
        { positions: [5, 6, 7, 8, 9], offset: 2 },
        { positions: Array.from({ length: B }, () => [7, 8, 9, 10, 11]) },
      ]) {
        const { output, backward } = forward(x, { ...training, ...options });
        // The table of listed positions is computed in another way than that of a range.
        expectClose(output, expected.output, { atol: 64 * EPS * maxAbs(output.data) });
        for (const [key, gradient] of Object.entries(backward!(G)) as [string, Tensor][]) {
          const other = (gradients as Record<string, Tensor>)[key]!;
          expectClose(gradient, other, { atol: 256 * EPS * maxAbs(other.data) });
        }
      }
    },
  );

  test.each([
    ['of each sequence', {}, [B, L]],
    ['of each sequence and axis', { sections: [1, 3, 2] }, [3, B, L]],
  ] as [string, RotaryOptions, number[]][])(
    'treats sequences with positions %s as if they were alone',
    (_what, rotary, shape) => {
      const forward = make(rotary);
      const positions = lists(...shape);
      const axes = shape.length === 3 ? 3 : 1;
      const { output, backward } = forward(x, { positions, training: true });
      const back = backward!(G) as Record<string, Tensor>;
      for (let b = 0; b < B; ++b) {
        const own = Array.from({ length: axes }, (_, axis) =>
          positions.data.slice((axis * B + b) * L, (axis * B + b + 1) * L),
        );
        const alone = forward(row(x, b), { positions: axes === 1 ? own[0] : own, training: true });
        // Products with other numbers of rows add in the same order.
        expectClose(row(output, b), alone.output, { atol: 16 * EPS * maxAbs(output.data) });
        for (const [key, gradient] of Object.entries(alone.backward!(row(G, b))) as [string, Tensor][]) {
          expectClose(row(back[key]!, b), gradient, { atol: 64 * EPS * maxAbs(gradient.data) });
        }
      }
    },
  );

  test('has gradients that agree with differences', () => {
    const forward = make({ sections: [2, 4] });
    const options = { positions: lists(2, B, L), training: true };
    const back = forward(x, options).backward!(G) as Record<string, Tensor>;
    const gradient = Object.values(back).reduce<number[]>(
      (sum, { data }) => Array.from(data, (g, i) => g + (sum[i] ?? 0)),
      [],
    );
    const [direction, step] = [random.tensor([B, L, 24]), 2 ** -7];
    const at = (t: number) =>
      dot(
        forward({ data: x.data.map((v, i) => v + t * direction.data[i]!), shape: x.shape }, options).output.data,
        G.data,
      );
    const slope = (at(step) - at(-step)) / (2 * step);
    // Central differences have an error of step²; a sum of 360 float32s rounds at 1e-5 of itself, divided by the step.
    expect(Math.abs(slope - dot(gradient, direction.data))).toBeLessThan(5e-3 * Math.sqrt(dot(gradient, gradient)));
  });

  const forward = make({});
  const sections = make({ sections: [2, 4] });
  const given =
    (positions: unknown, call = forward) =>
    () =>
      call(x, { positions });
  const rows: Rejection[] = [
    ['too few positions', 'RangeError', given([1, 2, 3])],
    ['positions of another batch', 'RangeError', given(lists(2, L))],
    ['positions of rank 3 without sections', 'RangeError', given(lists(2, B, L))],
    ['positions of one axis', 'RangeError', given([0, 1, 2, 3, 4], sections)],
    ['positions of three axes', 'RangeError', given(lists(3, L), sections)],
    ['a position that is NaN', 'RangeError', given([0, 1, NaN, 3, 4])],
    ['a position as a string', 'TypeError', given(['0', 1, 2, 3, 4])],
    ['a position beyond exact angles', 'RangeError', given([0, 1, 2 ** 31, 3, 4])],
    ['positions without rotary', 'RangeError', given([0, 1, 2, 3, 4], make())],
    ['sections of other pairs', 'RangeError', () => make({ sections: [2, 3] })],
  ];
  testRejections(_name, rows, () => expect(forward(x, {}).output.shape).toEqual([B, L, 24]));
});

describe('MultiHeadAttention with positions', () => {
  const layer = new attention.MultiHeadAttention({ ...size, rotary: {} });

  test.each([
    ['the positions', layer, 1],
    ['the positions of each axis', new attention.MultiHeadAttention({ ...size, rotary: { sections: [1, 3, 2] } }), 3],
  ])('decodes with %s of each step', (_, layer, axes) => {
    const cache = layer.createCache({ batch: B, maxLength: L });
    const positions = axes === 1 ? lists(B, L) : lists(axes, B, L);
    const whole = layer.forward(x, x, x, { positions, isCausal: true }).output;
    const tokens = (from: number, to: number): Tensor => ({
      data: Float32Array.from({ length: B * (to - from) * 24 }, (_, i) => {
        const [b, rest] = [Math.floor(i / ((to - from) * 24)), i % ((to - from) * 24)];
        return x.data[(b * L + from) * 24 + rest]!;
      }),
      shape: [B, to - from, 24],
    });
    for (const [from, to] of [
      [0, 2],
      [2, 3],
      [3, 5],
    ] as const) {
      const rows = Array.from({ length: axes * B }, (_, row) => positions.data.slice(row * L + from, row * L + to));
      const own = axes === 1 ? rows : Array.from({ length: axes }, (_, a) => rows.slice(a * B, (a + 1) * B));
      const piece = tokens(from, to);
      const { output } = layer.forward(piece, piece, piece, { positions: own, isCausal: true, cache });
      for (let b = 0; b < B; ++b) {
        const expected = whole.data.slice((b * L + from) * 24, (b * L + to) * 24);
        const found = output.data.slice(b * (to - from) * 24, (b + 1) * (to - from) * 24);
        const shape = [expected.length];
        expectClose({ data: found, shape }, { data: expected, shape }, { atol: 32 * EPS * maxAbs(whole.data) });
      }
    }
    cache.dispose();
  });

  test('are refused unless keys and queries are the same tokens', () => {
    const keys = random.tensor([B, L + 1, 24]);
    const call = () => layer.forward(x, keys, keys, { positions: [0, 1, 2, 3, 4] });
    expect(call).toThrow(
      /^MultiHeadAttention.forward: expected as many queries as new keys \(6\), for positions, got 5$/,
    );
  });
});
