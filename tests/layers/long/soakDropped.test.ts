/**
 * Layers, optimizers and caches that are not disposed: the garbage collector frees all memory that they allocated.
 *
 * `npm run soak` makes more of them.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { allocator, attention } from '../../fuzz/watched.js';
import { LAYERS_WITH_PARAMETERS } from '../../support/allLayers.js';
import { collect } from '../../support/collect.js';
import { Random } from '../../support/random.js';

/** How many of each kind are made and dropped at a time. */
const BATCH = 100;
const BATCHES = process.env.SOAK_CALLS ? 100 : 3;
/** Milliseconds. Each batch needs several collections, which also go through everything that Jest holds. */
const TIMEOUT = 20_000 * BATCHES;
const random = new Random(1);
const x = random.tensor([1, 2, 16]);
const training = { training: true };

/** A layer that remains, with gradients for an optimizer. */
const staying = new attention.Linear({ inFeatures: 16, outFeatures: 16, seed: 1 });
staying.forward(x, training).backward!(x);

/** Each makes something, uses it so that it allocates all of its memory, and drops it. */
const DROPPED: Record<string, () => void> = {
  ...Object.fromEntries(
    LAYERS_WITH_PARAMETERS.map(({ title, make }) => {
      const g = random.tensor(make().forward().output.shape);
      return [title, () => void make().forward(training).backward!(g)];
    }),
  ),
  'MultiHeadAttention with a cache'() {
    const layer = new attention.MultiHeadAttention({ numHiddens: 16, numHeads: 4, seed: 1 });
    layer.forward(x, x, x, { cache: layer.createCache({ batch: 1, maxLength: 16 }) });
  },
  Adam() {
    const layer = new attention.Linear({ inFeatures: 16, outFeatures: 16, seed: 1 });
    const adam = new attention.Adam(layer.parameters());
    layer.forward(x, training).backward!(x);
    adam.step();
  },
  'Adam whose layer stays'() {
    new attention.Adam(staying.parameters(), { lr: 0 }).step();
  },
};

type Kind = keyof typeof DROPPED;
/** How many blocks a batch allocated, and how many of them were left after the collection. */
interface Blocks {
  readonly taken: number;
  readonly left: number;
}

/** The addresses of the blocks that `body` allocates and does not free. */
function blocksOf(body: () => void): number[] {
  const before = new Set(allocator.blocks.keys());
  body();
  return [...allocator.blocks.keys()].filter((address) => !before.has(address));
}

/**
 * Makes and drops a batch of every kind and collects the garbage, up to five times, since the engine may postpone
 * finalizers.
 */
async function dropBatch(): Promise<Map<Kind, Blocks>> {
  // Finalizers run only between tasks, so no address is freed and reused while these are made.
  const taken = Object.entries(DROPPED).map(([kind, use]) => {
    const make = (): void => {
      for (let i = 0; i < BATCH; ++i) use();
    };
    return [kind, blocksOf(make)] as const;
  });
  const leftOf = (addresses: readonly number[]): number =>
    addresses.filter((address) => allocator.blocks.has(address)).length;
  const done = (): boolean => taken.every(([, addresses]) => leftOf(addresses) === 0);
  for (let round = 0; round < 5 && !done(); ++round) await collect();
  return new Map(taken.map(([kind, addresses]) => [kind, { taken: addresses.length, left: leftOf(addresses) }]));
}

describe(`after dropping ${BATCHES} times ${BATCH} without dispose`, () => {
  const batches: Map<Kind, Blocks>[] = [];
  beforeAll(async () => {
    // The first calls grow the block that all calls share to its final size.
    for (const use of Object.values(DROPPED)) use();
    for (let batch = 0; batch < BATCHES; ++batch) batches.push(await dropBatch());
  }, TIMEOUT);

  test.each(Object.keys(DROPPED))('every block is freed: %s', (kind) => {
    for (const batch of batches) {
      const { taken, left } = batch.get(kind)!;
      expect(taken).toBeGreaterThanOrEqual(BATCH);
      expect(left).toBe(0);
    }
    expect(batches).toHaveLength(BATCHES);
  });
});
