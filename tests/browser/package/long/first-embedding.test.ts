/** What a page loads until its first embedding. */
import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

/** Vite does not build within Jest's contexts. */
const MEASURE = `
  import { measureFirstEmbedding } from './tests/bench/first-embedding.mjs';
  console.log(JSON.stringify(await measureFirstEmbedding()));
`;

test('over a slow line the library takes at most 130 kB until the first embedding', () => {
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', MEASURE], { encoding: 'utf8' });
  const { parts, bar } = JSON.parse(printed) as { parts: { bytes: number }[]; bar: number };
  expect(bar).toBe(130_000);
  for (const { bytes } of parts) expect(bytes).toBeGreaterThan(0);
  expect(parts[0]!.bytes).toBeLessThan(bar);
}, 60_000);
