// All that the page as one file contains: plugins/singleFile.ts.
import './style/page.css';
import './main.js';
