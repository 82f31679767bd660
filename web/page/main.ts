import { wholeAlternates } from './alternates.js';
import { loadCells } from './cells/load-cells.js';
import { keepLanguagesAtHand } from './language-menu.js';
import { loadFigures } from './load-figures.js';
import { keepForLater } from './offline/register.js';
import { printWell } from './print.js';
import { reachScrollers } from './scrollers.js';
import { noticeSliding } from './sliding.js';
import { keepStateInAddress } from './url-state.js';

keepLanguagesAtHand(keepStateInAddress());
loadFigures();
noticeSliding();
loadCells();
printWell();
reachScrollers('.equation, .table');
wholeAlternates();
keepForLater();
