import '../elements/index.js';
import { reachScrollers } from './scrollers.js';

reachScrollers('.equation, .table, pre');
