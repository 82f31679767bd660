import { checkEngine } from './checks.js';

checkEngine('Firefox', 'firefox');
