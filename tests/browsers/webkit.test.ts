import { checkEngine } from './checks.js';

checkEngine('WebKit', 'webkit');
