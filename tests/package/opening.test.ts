/** The memory that opening a checkpoint takes beyond its parameters. */
import { expect, test } from '@jest/globals';
import { measureOpening } from '../bench/opening.mjs';

type Row = Readonly<Record<'parameters' | 'heap' | 'beyond' | 'allowed', number>> & { readonly weightType: string };

test('opening 500 MB of bfloat16 takes little more memory than the parameters and the largest tensor', async () => {
  const rows = (await measureOpening({ progress: () => undefined })) as Row[];
  expect(rows.map(({ weightType }) => weightType)).toEqual(['int8', 'float32']);
  for (const { parameters, heap, beyond, allowed } of rows) {
    expect(heap).toBeLessThan(parameters + 16e6);
    expect(beyond).toBeLessThan(allowed);
  }
}, 120_000);
