/** The same random cases on every run, so that a red run can be had again; another seed: `FC_SEED=7 npm run test:js`. */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 1) });
