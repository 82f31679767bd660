// The suites that run in Node: `npm run test:js`. Browser tests have a configuration of their own.
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
    '^wasm-attention/worker$': '<rootDir>/dist/worker.js',
    // TypeScript sources import each other under the name they will have as JavaScript.
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: { '\\.ts$': '<rootDir>/scripts/jest-transform.mjs' },
  cacheDirectory: '<rootDir>/build/jest',
};
