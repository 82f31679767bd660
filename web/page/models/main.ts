import '../../elements/kit.js';
import './model-explorer.js';
