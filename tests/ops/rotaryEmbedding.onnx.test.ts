/** All features of ONNX's RotaryEmbedding (opset 23), with its inputs translated to the library's arguments. */
import { describe, expect, test } from '@jest/globals';
import type { RotaryOptions } from 'wasm-attention';
import { joinHeads, splitHeads } from '../reference/multiHeadAttention.js';
import { rotaryEmbedding as reference, type RotaryReferenceOptions } from '../reference/rotaryEmbedding.js';
import type { Numbers } from '../reference/tensor.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { rotaryEmbedding } from '../support/library.js';
import { Random, type RandomTensor } from '../support/random.js';

interface OnnxCall {
  X: RandomTensor;
  cos_cache: RandomTensor;
  sin_cache: RandomTensor;
  position_ids?: { data: Int32Array; shape: readonly number[] };
  interleaved?: 0 | 1;
  num_heads?: number;
  rotary_embedding_dim?: number;
}

type Rotate = (x: Numbers, options: RotaryReferenceOptions & RotaryOptions) => Numbers;

function run(call: OnnxCall, rotate: Rotate): Numbers {
  const { X, cos_cache: cos, sin_cache: sin, position_ids: positions, num_heads, rotary_embedding_dim } = call;
  const options = {
    cos,
    sin,
    interleaved: call.interleaved === 1,
    ...(positions && { positions }),
    ...(rotary_embedding_dim && { rotaryDim: rotary_embedding_dim }),
  };
  if (X.shape.length === 4) return rotate(X, options);
  // Rank 3 is (B, n, H·d).
  return joinHeads(rotate(splitHeads(X, num_heads!), options));
}

const random = new Random(11);
const ids = (rows: number) => ({
  data: Int32Array.from({ length: 6 }, () => random.integer(0, rows - 1)),
  shape: [2, 3],
});
const caches = (...shape: number[]) => ({ cos_cache: random.tensor(shape), sin_cache: random.tensor(shape) });

describe("rotaryEmbedding does what ONNX's RotaryEmbedding does", () => {
  test.each<[string, OnnxCall]>([
    ['rank 4', { X: random.tensor([2, 4, 3, 8]), ...caches(50, 4), position_ids: ids(50) }],
    [
      'rank 4, interleaved',
      { X: random.tensor([2, 4, 3, 8]), ...caches(50, 4), position_ids: ids(50), interleaved: 1 },
    ],
    ['rank 3', { X: random.tensor([2, 3, 32]), ...caches(50, 4), position_ids: ids(50), num_heads: 4 }],
    [
      'rank 3, interleaved',
      { X: random.tensor([2, 3, 32]), ...caches(50, 4), position_ids: ids(50), num_heads: 4, interleaved: 1 },
    ],
    [
      'part of the width',
      { X: random.tensor([2, 4, 3, 8]), ...caches(50, 2), position_ids: ids(50), rotary_embedding_dim: 4 },
    ],
    [
      'part of the width, interleaved',
      {
        X: random.tensor([2, 4, 3, 8]),
        ...caches(50, 2),
        position_ids: ids(50),
        rotary_embedding_dim: 4,
        interleaved: 1,
      },
    ],
    ['no position ids', { X: random.tensor([2, 4, 3, 8]), ...caches(2, 3, 4) }],
    ['no position ids, interleaved', { X: random.tensor([2, 4, 3, 8]), ...caches(2, 3, 4), interleaved: 1 }],
    [
      'no position ids, part of the width',
      { X: random.tensor([2, 4, 3, 8]), ...caches(2, 3, 2), rotary_embedding_dim: 4 },
    ],
    [
      'rank 3, no position ids, part of the width',
      { X: random.tensor([2, 3, 32]), ...caches(2, 3, 2), num_heads: 4, rotary_embedding_dim: 4 },
    ],
  ])('for %s', (_name, call) => {
    const expected = run(call, reference);
    const size = maxAbs(call.X.data) * Math.max(maxAbs(call.cos_cache.data), maxAbs(call.sin_cache.data));
    // Two products of up to `size` and their sum are each rounded once.
    expectClose(run(call, rotaryEmbedding), expected, { atol: 2 * EPS * size });
    expect(expected.shape).toEqual(call.X.shape);
  });
});
