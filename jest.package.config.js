// The built package, packed, installed and run as its users do: `npm run test:package`, which sets DIST=1.
import base from './jest.config.js';

/** @type {import('jest').Config} */
export default {
  ...base,
  testMatch: ['<rootDir>/tests/package/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
};
