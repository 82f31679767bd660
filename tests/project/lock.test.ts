import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, read } from '../package/support.js';

interface Package {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optionalDependencies?: Record<string, string>;
}
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Package> };

const LOCKS = [
  'package-lock.json',
  'tests/audit/package-lock.json',
  'tests/bench/package-lock.json',
  'tests/package/matrix/package-lock.json',
];

describe('the lock file', () => {
  it('has every optional package of every platform, without which npm ci refuses it', () => {
    const locked = new Set(Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, '')));
    const optional = Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
    expect(optional.filter((name) => !locked.has(name))).toEqual([]);
    expect(optional.length).toBeGreaterThan(0);
  });

  it('of every folder with its own packages is listed here', () => {
    const locksIn = (folder: string): string[] =>
      readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) return /^(node_modules|build|dist|\..*)$/.test(entry.name) ? [] : locksIn(path);
        return entry.name === 'package-lock.json' ? [path] : [];
      });
    expect(locksIn('').sort()).toEqual([...LOCKS].sort());
  });

  it.each(LOCKS)('names hashes and no hosts: %s', (file) => {
    const lock = JSON.parse(read(file)) as { packages: Record<string, Package> };
    const installed = Object.entries(lock.packages).filter(([path]) => path !== '');
    expect(installed.length).toBeGreaterThan(0);
    expect(installed.filter(([, { resolved, integrity }]) => resolved !== undefined || !integrity)).toEqual([]);
  });
});
