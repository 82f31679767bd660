/** A backward pass that runs out of memory for its result changes nothing, and can be called again. */
import { expect, test } from '@jest/globals';
import { ALL_LAYERS, type Subject } from '../support/allLayers.js';
import { Random } from '../support/random.js';

/** Runs `body` while allocating an array of `size` numbers, an input's gradient, fails. */
function withoutRoom(size: number, body: () => void): void {
  const Original = globalThis.Float32Array;
  globalThis.Float32Array = new Proxy(Original, {
    construct(Type, args: [number, ...unknown[]], target) {
      // A view of another array's buffer has three arguments and allocates nothing.
      if (args.length === 1 && args[0] === size) throw new RangeError('Array buffer allocation failed');
      return Reflect.construct(Type, args, target) as Float32Array;
    },
  });
  try {
    body();
  } finally {
    globalThis.Float32Array = Original;
  }
}

test.each(ALL_LAYERS)(
  '$title: backward changes no gradient where there is no room for its result',
  ({ operation, inputs, make }) => {
    const gradients = ({ layer }: Subject) => layer.parameters().map(({ grad }) => grad);
    const [whole, tried] = [make(), make()];
    const [first, second] = [whole, tried].map(({ forward }) => forward({ training: true }));
    const g = new Random(9).tensor(first!.output.shape);
    const expected = first!.backward!(g);
    const before = gradients(tried);
    for (const { data } of inputs) {
      withoutRoom(data.length, () => {
        expect(() => second!.backward!(g)).toThrow(new RegExp(`^${operation}.backward: expected \\d+ free bytes`));
      });
      expect(gradients(tried)).toEqual(before);
    }
    expect(second!.backward!(g)).toEqual(expected);
    expect(gradients(tried)).toEqual(gradients(whole));
    whole.layer.dispose();
    tried.layer.dispose();
  },
);
