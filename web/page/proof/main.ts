import '../../elements/kit.js';
import { keepPlaceInLanguages, wholeAlternates } from '../language-menu.js';
import { watchScrollers } from '../scrollers.js';
import './proof-benchmark.js';

wholeAlternates();
watchScrollers('main > .table');
// The links keep the results.
keepPlaceInLanguages(
  () => ({ id: '', at: '' }),
  () => undefined,
);
