/** A cache that has been truncated is like one that never held more, also behind a window. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Model, ModelCache } from 'wasm-attention/models';
import { checkpoint, checkpoints, open } from './fixtures.js';

const causal = checkpoints.filter((name) => checkpoint(name).expected.generate);

async function written(model: Model, ids: number[], cache: ModelCache): Promise<number[]> {
  const tokens = [];
  for await (const id of model.generate(ids, { cache, maxTokens: 4, stopTokens: [] })) tokens.push(id);
  return tokens;
}

describe.each(causal)('%s', (name) => {
  const files = checkpoint(name);
  const { windows, vocab } = files.architecture;
  /** Past the longest window. */
  const length = 3 + 2 * Math.max(...windows.map((window) => window?.left ?? 5), 5);
  const ids = fc.array(fc.nat(vocab - 1), { minLength: length, maxLength: length });

  test.each(['float32', 'float16', 'int8'] as const)('gives the same bits, kept as %s', async (cacheType) => {
    const model = await open(files);
    await fc.assert(
      fc.asyncProperty(ids, ids, fc.integer({ min: 1, max: length - 1 }), async (first, second, kept) => {
        const [used, fresh] = [1, 2].map(() => model.createCache({ cacheType, maxLength: length + 8 }));
        model.forward(first.slice(0, kept), { cache: used! });
        model.forward(first.slice(kept), { cache: used! });
        await written(model, [first[0]!], used!);
        used!.truncate(kept);
        model.forward(first.slice(0, kept), { cache: fresh! });
        const rest = second.slice(kept);
        expect(model.forward(rest, { cache: used! })).toEqual(model.forward(rest, { cache: fresh! }));
        expect(await written(model, [1], used!)).toEqual(await written(model, [1], fresh!));
        used!.dispose();
        fresh!.dispose();
      }),
      { numRuns: 8 },
    );
    model.dispose();
  });
});
