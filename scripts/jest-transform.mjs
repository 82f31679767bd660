// Compiles TypeScript for Jest with Vite's compiler, as the builds do.
import { createHash } from 'node:crypto';
import { transformWithOxc, version } from 'vite';

/** @type {import('@jest/transform').AsyncTransformer} */
export default {
  async processAsync(source, path) {
    const { code, map } = await transformWithOxc(source, path, { target: 'es2022', sourcemap: true });
    return { code, map: JSON.stringify(map) };
  },
  getCacheKey: (source, path) => createHash('sha256').update(`${version}\0${path}\0${source}`).digest('hex'),
};
