import { describe, expect, test } from '@jest/globals';
import { load, loadSecond, THREADS, WASM } from '../support/instance.js';

describe('load with fresh', () => {
  test('makes a new instance, which later calls return', async () => {
    const first = await load({ threads: THREADS });
    expect(await load({ fresh: false })).toBe(first);
    const loading = load({ fresh: true });
    expect(load()).toBe(loading);
    const second = await loading;
    expect(second).not.toBe(first);
    expect(await load()).toBe(second);
    // Its memory is its own, and the first instance still works.
    const layers = [first, second].map(({ Linear }) => new Linear({ inFeatures: 2, outFeatures: 2, seed: 1 }));
    expect(layers[0]!.forward([[1, 2]])).toEqual(layers[1]!.forward([[1, 2]]));
    expect(() => new second.Adam(layers[0]!.parameters())).toThrow(TypeError);
    for (const layer of layers) layer.dispose();
  });

  test('keeps instances that are loaded at the same time apart', async () => {
    const modules = await Promise.all([
      loadSecond({ wasm: WASM, fresh: true }),
      loadSecond({ wasm: WASM, fresh: true }),
      loadSecond(),
    ]);
    expect(modules[0]).not.toBe(modules[1]);
    expect(modules[1]).toBe(modules[2]);
    for (const { Linear, Adam } of modules) {
      const layer = new Linear({ inFeatures: 2, outFeatures: 2 });
      new Adam(layer.parameters()).dispose();
      layer.dispose();
    }
  });

  test('tries again after a failure', async () => {
    await expect(loadSecond({ fresh: true, wasm: new Uint8Array(1) })).rejects.toThrow(RangeError);
    expect((await loadSecond({ wasm: WASM })).maskedSoftmax([[[0]]]).data[0]).toBe(1);
  });

  test('takes a boolean', async () => {
    await expect(load({ fresh: 1 } as never)).rejects.toThrow('load: expected fresh to be a boolean, got 1');
  });
});
