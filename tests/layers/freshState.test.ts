/** When a layer's initial values are drawn. */
import { describe, expect, jest, test } from '@jest/globals';
import { readSafetensors, writeSafetensors } from 'wasm-attention';
import { ALL_LAYERS } from '../support/allLayers.js';
import { attention } from '../support/library.js';

/** How many random numbers a call draws: each takes integer multiplications. */
function drawn(call: () => void): number {
  const multiply = jest.spyOn(Math, 'imul');
  try {
    call();
    return multiply.mock.calls.length;
  } finally {
    multiply.mockRestore();
  }
}

describe('a fresh layer', () => {
  test.each(ALL_LAYERS)('$title draws no initial values if it loads others', ({ make }) => {
    const state = make().layer.stateDict();
    const loaded = make();
    expect(drawn(() => loaded.layer.loadStateDict(state))).toBe(0);
    expect(loaded.layer.stateDict()).toEqual(state);
    expect(drawn(() => loaded.forward())).toBe(0);
  });

  test('draws the same values whichever parameter is read first', () => {
    const make = () => new attention.Linear({ inFeatures: 3, outFeatures: 2, seed: 5 });
    const state = make().stateDict();
    expect(drawn(() => make().stateDict())).toBeGreaterThan(0);
    expect(
      make()
        .parameters()
        .map(({ data }) => data),
    ).toEqual(Object.values(state).map(({ data }) => data));
    const changed = make();
    changed.parameters()[1]!.set([1, 2]);
    expect(changed.stateDict().weight).toEqual(state.weight);
    const failed = make();
    expect(() => failed.loadStateDict({ weight: state.weight! })).toThrow(RangeError);
    expect(failed.stateDict()).toEqual(state);
  });

  test('loads what readSafetensors returns, without a cast', () => {
    const layer = new attention.Linear({ inFeatures: 3, outFeatures: 2, seed: 5 });
    const file = writeSafetensors(layer.stateDict());
    const other = new attention.Linear({ inFeatures: 3, outFeatures: 2, seed: 6 });
    other.loadStateDict(readSafetensors(file));
    other.loadStateDict(readSafetensors<Float32Array | Int32Array>(file, { names: ['weight', 'bias'] }));
    expect(other.stateDict()).toEqual(layer.stateDict());
  });
});
