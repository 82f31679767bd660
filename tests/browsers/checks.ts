import { describe } from '@jest/globals';
import type { Engine } from '../../scripts/engines.mjs';
import { checkCells } from './checks/cells.js';
import { checkFigures } from './checks/figures.js';
import { checkFormulas } from './checks/formulas.js';
import { checkFragments } from './checks/fragments.js';
import { checkInput } from './checks/input.js';
import { checkLibrary } from './checks/library.js';
import { checkMaps } from './checks/maps.js';
import { checkModels } from './checks/models.js';
import { checkOffline } from './checks/offline.js';
import { checkPictures } from './checks/pictures.js';
import { checkProof } from './checks/proof.js';
import { checkScrolling } from './checks/scrolling.js';
import { useEngine } from './visit.js';

/** The checks that every engine must pass: each is about something that one of them once did differently. */
export function checkEngine(name: string, engine: Engine): void {
  describe(name, () => {
    const visit = useEngine(engine);
    checkFigures(visit);
    checkFormulas(visit);
    checkFragments(visit);
    checkMaps(visit);
    checkInput(visit);
    checkCells(visit);
    checkOffline(visit);
    checkScrolling(visit);
    checkLibrary(visit);
    checkModels(visit);
    checkPictures(visit);
    checkProof(visit);
  });
}
