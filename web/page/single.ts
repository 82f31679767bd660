// Everything in the page as one file: plugins/singleFile.ts.
import './style/page.css';
import './main.js';
