import '../../elements/kit.js';
import { wholeAlternates } from '../alternates.js';
import './model-explorer.js';

wholeAlternates();
