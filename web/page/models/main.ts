import '../../elements/kit.js';
import { keepPlaceInLanguages, wholeAlternates } from '../language-menu.js';
import './model-explorer.js';

wholeAlternates();
// The links take along the text and the silent heads.
keepPlaceInLanguages(
  () => ({ id: '', at: '' }),
  () => undefined,
);
