// The built page in Chromium: `npm run test:browser`.
import base from './jest.config.js';

/** @type {import('jest').Config} */
export default {
  ...base,
  testMatch: ['<rootDir>/tests/browser/**/*.test.ts'],
  // `npm run test:browser:long` takes many minutes.
  testPathIgnorePatterns: ['/node_modules/', ...(process.env.LONG ? [] : ['/long/'])],
  testTimeout: process.env.LONG ? 240_000 : 120_000,
  // Half of the time a browser waits for timers and frames.
  maxWorkers: 2,
};
