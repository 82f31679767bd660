import { checkEngine } from './checks.js';

checkEngine('Chromium', 'chromium');
