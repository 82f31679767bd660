import '../elements/index.js';
