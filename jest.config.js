// The suites that run in Node, on the library's sources: `npm run test:js`. With DIST=1 they run on the built package,
// with LONG=1 those in folders called `long` run as well. Other suites have configurations of their own, which start
// from this one.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** @type {import('jest').Config} */
export default {
  rootDir: import.meta.dirname,
  testEnvironment: '<rootDir>/scripts/jest-environment.mjs',
  setupFiles: ['<rootDir>/tests/support/fuzzSeed.ts'],
  setupFilesAfterEnv: ['<rootDir>/tests/support/equalBytes.ts', '<rootDir>/tests/support/agreement.ts'],
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/tests/(browser|browsers|bench|package)/',
    ...(process.env.LONG ? [] : ['/long/']),
  ],
  modulePathIgnorePatterns: ['<rootDir>/build/', '<rootDir>/tests/(bench|package/matrix/node_modules)/'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    ...(process.env.DIST
      ? {
          '^wasm-attention$': '<rootDir>/dist/index.js',
          '^wasm-attention/(slim|safetensors|worker|models)$': '<rootDir>/dist/$1.js',
        }
      : {
          '^wasm-attention$': '<rootDir>/web/lib/index.ts',
          '^wasm-attention/(slim|safetensors|worker|models)$': '<rootDir>/web/lib/$1.ts',
        }),
    // TypeScript sources import each other under the name they will have as JavaScript.
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  // What the bundler puts in place of this name.
  globals: { __VERSION__: version },
  transform: { '\\.ts$': '<rootDir>/scripts/jest-transform.mjs' },
  // Modules outlive their test file in Node: a worker that has grown is replaced, or every collection would take
  // seconds.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  workerIdleMemoryLimit: '600MB',
  // Milliseconds: what hangs is found soon enough, and a busy machine is no failure.
  testTimeout: 60_000,
  cacheDirectory: '<rootDir>/build/jest',
};
