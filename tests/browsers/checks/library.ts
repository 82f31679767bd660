import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ISOLATED } from '../../../scripts/static-host.mjs';
import type { PageServer } from '../../browser/server.js';
import { digestsOf } from '../digests.js';
import { serve, type Visit } from '../visit.js';

const ROOT = join(import.meta.dirname, '../../..');
const STORIES = join(ROOT, 'tests/fixtures/stories260K');

export function checkLibrary(visit: Visit): void {
  describe('the library computes the same bits as in Node', () => {
    const model = {
      config: JSON.parse(readFileSync(join(STORIES, 'config.json'), 'utf8')) as object,
      weights: readFileSync(join(STORIES, 'model.safetensors')).toString('base64'),
    };
    let server: PageServer;
    let wanted: Record<string, string>;
    beforeAll(async () => {
      server = await serve({ folder: ROOT, headers: ISOLATED });
      wanted = await digestsOf({ ...model, threads: 1, dist: pathToFileURL(join(ROOT, 'dist')).href });
    });
    afterAll(() => server.close());

    const open = () => visit.open('/tests/browsers/empty.html', { origin: server.origin });
    /** As a script of the page: in Firefox, WebDriver's functions have other globals, such as WebAssembly. */
    const run = <Given, Result>(inside: (given: Given) => Result, given: Given): Promise<Awaited<Result>> =>
      visit.browser.run((text) => window.eval(text) as Result, `(${String(inside)})(${JSON.stringify(given)})`);
    const digests = (threads: number) => run(digestsOf, { ...model, threads, dist: '/dist' });

    test.each([
      ['one thread', 1],
      ['two threads', 2],
    ])('on %s', async (_, threads) => {
      await open();
      expect(await digests(threads)).toEqual({ ...wanted, threads: String(threads) });
    });

    test('on two threads where a shared memory may have at most 1 GiB', async () => {
      await open();
      await run(refuseLargeMemories, {});
      expect(await digests(2)).toEqual({ ...wanted, threads: '2' });
      expect(await visit.browser.run(() => document.documentElement.id)).toBe('refused');
    });
  });
}

function refuseLargeMemories(): void {
  WebAssembly.Memory = class extends WebAssembly.Memory {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      if (descriptor.shared && (descriptor.maximum ?? Infinity) > 2 ** 14) {
        document.documentElement.id = 'refused';
        throw new RangeError('too large');
      }
      super(descriptor);
    }
  };
}
