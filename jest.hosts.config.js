// The packed package in frameworks: `npm run test:hosts`.
import matrix from './jest.matrix.config.js';

/** @type {import('jest').Config} */
export default { ...matrix, testMatch: ['<rootDir>/tests/package/hosts/*.test.ts'], testTimeout: 300_000 };
