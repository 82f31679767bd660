import { attention } from '../support/library.js';
import { read } from '../package/support.js';

const { version } = JSON.parse(read('package.json')) as { version: string };

describe('the version of package.json', () => {
  it('is the library’s', () => {
    expect(attention.version).toBe(version);
  });

  it('is the C++ build’s', () => {
    const cache = read('build/emscripten/CMakeCache.txt');
    expect(/^CMAKE_PROJECT_VERSION:STATIC=(.*)$/m.exec(cache)?.[1]).toBe(version);
  });

  it('is the lock file’s', () => {
    const lock = JSON.parse(read('package-lock.json')) as {
      version: string;
      packages: { '': { version: string } };
    };
    expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
  });

  it('is the newest in the change log', () => {
    expect(/^## \[?(\d[^\]\s]*)/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version);
  });
});
