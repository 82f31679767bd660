import { describe } from '@jest/globals';
import type { Engine } from '../../scripts/engines.mjs';
import { checkFigures } from './checks/figures.js';
import { useEngine } from './visit.js';

/** The checks that every engine must pass: each is about something that one of them once did differently. */
export function checkEngine(name: string, engine: Engine): void {
  describe(name, () => {
    const visit = useEngine(engine);
    checkFigures(visit);
  });
}
