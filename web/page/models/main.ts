import '../../elements/kit.js';
import { keepPlaceInLanguages, wholeAlternates } from '../language-menu.js';
import './model-explorer.js';

wholeAlternates();
// The links keep the text and the silenced heads.
keepPlaceInLanguages(
  () => ({ id: '', at: '' }),
  () => undefined,
);
