/**
 * Draws the same random cases on every run, so that a failure can be reproduced. `FC_SEED=7 npm run test:js` draws
 * others.
 */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 1) });
