/** What a page loads until its first embedding. */
import { expect, test } from '@jest/globals';
import { measureFirstEmbedding } from '../../../bench/first-embedding.mjs';

test('over a slow line the library takes at most 136 kB until the first embedding', async () => {
  const { parts, bar } = await measureFirstEmbedding();
  expect(bar).toBe(136_000);
  for (const { bytes } of parts) expect(bytes).toBeGreaterThan(0);
  expect(parts[0]!.bytes).toBeLessThan(bar);
}, 60_000);
