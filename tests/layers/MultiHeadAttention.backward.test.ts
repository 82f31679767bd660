/** The gradients of MultiHeadAttention agree with PyTorch and d2l; long/ has differences of the float64 oracle. */
import { describe, expect, test } from '@jest/globals';
import { type Numbers } from '../support/close.js';
import { expectFixture } from '../support/fixtures.js';
import { gradientsOf } from '../support/gradientsOf.js';
import { attention } from '../support/library.js';
import { multiHeadGradients } from '../support/multiHeadGradients.js';

const sum = (tensors: Numbers[]): Numbers => ({
  data: Float64Array.from(tensors[0]!.data, (_, i) => tensors.reduce((total, t) => total + t.data[i]!, 0)),
  shape: tensors[0]!.shape,
});

describe('MultiHeadAttention.backward agrees with PyTorch and d2l', () => {
  test.each(multiHeadGradients())('on $name', ({ forward, gradOutput, inputs, parameters }) => {
    const { numHiddens, numHeads, bias, sizes, state, options } = forward;
    const layer = new attention.MultiHeadAttention({ numHiddens, numHeads, bias, ...sizes });
    layer.loadStateDict(state);
    const { output, backward } = layer.forward(...forward.inputs, { ...options, training: true });
    expectFixture(output, forward.expected.output);
    const { queries, keys, values } = backward!(gradOutput);
    const actual: Record<string, Numbers> = { queries, keys, values, x: sum([queries, keys, values]) };
    expect(Object.keys(inputs).length).toBeGreaterThan(0);
    for (const [name, expected] of Object.entries(inputs)) expectFixture(actual[name], expected);
    const found = gradientsOf(layer);
    const names = Object.keys(parameters).sort();
    expect([[], Object.keys(found).sort()]).toContainEqual(names);
    for (const [name, expected] of Object.entries(parameters)) expectFixture(found[name], expected);
  });
});
