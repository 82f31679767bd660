import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { join } from 'node:path';
import type { PageServer } from '../../browser/server.js';
import { serve, type Visit } from '../visit.js';

export function checkPictures(visit: Visit): void {
  let server: PageServer;
  beforeAll(async () => {
    server = await serve({ folder: join(import.meta.dirname, '../../..') });
  });
  afterAll(() => server.close());

  test.each([1280, 390])(
    'lays maps over a picture, and follows clicks and keys, in a window of %d px',
    async (width) => {
      await visit.open('/tests/browsers/empty.html', { origin: server.origin, width });
      await visit.browser.run(showPicture, '/dist/elements/patch-viewer.js');
      await visit.browser.until(() => findAll('patch-viewer[drawn]').length > 0);
      await visit.click('.plot');
      await visit.browser.press('ArrowUp');
      const { readout, pixels, sharp } = await visit.browser.run(seen);
      expect(readout).toBe('From row 1, column 2, most attention goes to row 3, column 3 (1.000); class token (0); row 1, column 1 (0); to all patches together, 100%.'); // prettier-ignore
      expect(sharp).toBe(true);
      // The picture without the map, the map's brightest colour where the weight is, and its darkest elsewhere.
      expect(pixels).toEqual({ picture: '200,100,0,255', bright: '252,255,164,255', dark: '0,0,4,255' });
    },
  );
}

/** Shows a picture in one colour, all of whose tokens attend to the last patch. */
async function showPicture(module: string): Promise<void> {
  await import(module);
  const viewer = document.createElement('patch-viewer');
  const weights = Array.from({ length: 10 }, () => Array.from({ length: 10 }, (_, key) => Number(key === 9)));
  const data = Uint8Array.from({ length: 300 }, (_, i) => [200, 100, 0][i % 3]!);
  const picture = { data, width: 10, height: 10 };
  viewer.setAttribute('strength', '0');
  viewer.loadArrays({ weights, picture, patches: { first: 1, rows: 3, columns: 3 } });
  document.body.append(viewer);
}

async function seen() {
  for (let frame = 0; frame < 5; ++frame) await new Promise(requestAnimationFrame);
  const [photo, map] = ['canvas.picture', 'canvas.heat'].map((name) => findAll<HTMLCanvasElement>(name)[0]!);
  const pixel = (canvas: HTMLCanvasElement, x: number, y: number): string => {
    const copy = document.createElement('canvas').getContext('2d')!;
    copy.drawImage(canvas, -Math.floor(x * canvas.width), -Math.floor(y * canvas.height));
    return copy.getImageData(0, 0, 1, 1).data.join();
  };
  const sharp = [photo!, map!].every(
    (canvas) => Math.abs(canvas.width - canvas.getBoundingClientRect().width * devicePixelRatio) < 1,
  );
  return {
    readout: findAll('.readout')[0]!.innerText.trim(),
    sharp,
    pixels: { picture: pixel(photo!, 0.5, 0.5), bright: pixel(map!, 5 / 6, 5 / 6), dark: pixel(map!, 1 / 6, 1 / 6) },
  };
}
