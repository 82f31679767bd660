import { read } from './support.js';

interface Package {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optionalDependencies?: Record<string, string>;
}
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Package> };

describe('the lock file', () => {
  it('has every optional package of every platform, without which npm ci refuses it', () => {
    const locked = new Set(Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, '')));
    const optional = Object.values(packages).flatMap((entry) =>
      Object.keys(entry.optionalDependencies ?? {}),
    );
    expect(optional.filter((name) => !locked.has(name))).toEqual([]);
    expect(optional.length).toBeGreaterThan(0);
  });

  it.each(['package-lock.json', 'tests/audit/package-lock.json', 'tests/bench/package-lock.json'])(
    'names hashes and no hosts: %s',
    (file) => {
      const lock = JSON.parse(read(file)) as { packages: Record<string, Package> };
      const installed = Object.entries(lock.packages).filter(([path]) => path !== '');
      expect(installed.length).toBeGreaterThan(0);
      expect(installed.filter(([, { resolved, integrity }]) => resolved !== undefined || !integrity)).toEqual(
        [],
      );
    },
  );
});
