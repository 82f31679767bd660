// The suites that run in Node: `npm run test:js`. Browser tests have a configuration of their own.
import { availableParallelism } from 'node:os';

/** @type {import('jest').Config} */
export default {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  setupFiles: ['<rootDir>/tests/support/fuzzSeed.ts'],
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  testPathIgnorePatterns: [
    '<rootDir>/tests/browser/',
    '<rootDir>/tests/bench/',
    '<rootDir>/tests/package/matrix/',
    '/node_modules/',
  ],
  modulePathIgnorePatterns: [
    '<rootDir>/build/',
    '<rootDir>/tests/bench/',
    '<rootDir>/tests/package/matrix/node_modules/',
  ],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    // The built package, as its users get it.
    '^wasm-attention$': '<rootDir>/dist/index.js',
    '^wasm-attention/slim$': '<rootDir>/dist/slim.js',
    '^wasm-attention/safetensors$': '<rootDir>/dist/safetensors.js',
    '^wasm-attention/worker$': '<rootDir>/dist/worker.js',
    // TypeScript sources import each other under the name they will have as JavaScript.
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: { '\\.ts$': '<rootDir>/scripts/jest-transform.mjs' },
  // Modules outlive their test file in Node: a worker that has grown is replaced, or every collection would take seconds.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  workerIdleMemoryLimit: '600MB',
  // Milliseconds: what hangs is found soon enough, and a busy machine is no failure.
  testTimeout: 60_000,
  cacheDirectory: '<rootDir>/build/jest',
};
