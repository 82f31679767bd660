import type { Layer } from 'wasm-attention';
import { expectFixture, type Fixture } from './fixtures.js';

/** Loads the fixture's parameters into the layer, and compares both passes and all gradients with PyTorch's. */
export function expectLayerFixture(layer: Layer, fixture: Fixture, options: object = {}): void {
  const names = Object.keys(layer.stateDict());
  layer.loadStateDict(Object.fromEntries(names.map((name) => [name, fixture.input(name)])));
  const { output, backward } = layer.forward(fixture.input('x'), { ...options, training: true });
  expectFixture(output, fixture.output('output'));
  expectFixture(backward!(fixture.input('G')).input, fixture.output('grad:x'));
  for (const { name, grad, shape } of layer.parameters()) {
    expectFixture({ data: grad, shape }, fixture.output(`grad:${name}`));
  }
}
