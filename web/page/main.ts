import { wholeAlternates } from './alternates.js';
import { loadCells } from './cells/load-cells.js';
import { loadFigures } from './load-figures.js';
import { keepForLater } from './offline/register.js';
import { printWell } from './print.js';
import { reachScrollers } from './scrollers.js';
import { carryPlaceAndState, keepStateInAddress } from './url-state.js';

const write = keepStateInAddress();
carryPlaceAndState(document.querySelectorAll<HTMLAnchorElement>('.languages a'), write);
loadFigures();
loadCells();
printWell();
reachScrollers('.equation, .table, pre');
wholeAlternates();
keepForLater();
