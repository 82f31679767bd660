// The built page in Chromium: `npm run test:browser`.
import base from './jest.config.js';

/** @type {import('jest').Config} */
export default {
  ...base,
  testMatch: ['<rootDir>/tests/browser/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 60_000,
  // Two browsers at once on a small machine make each other's frames late.
  maxWorkers: 1,
};
