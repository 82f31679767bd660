/** What the page's build also uses to draw the output of code cells: it defines no elements. */
export { filled } from './shared/filled.js';
export { columnTicks, rowTicks } from './shared/heat-map/marks.js';
export { rampIn, rampIndex } from './shared/heat-map/ramps.js';
export { Numbers } from './shared/numbers.js';
export { spreadLabels } from './shared/plot/direct-labels.js';
export { curveStyles } from './shared/plot/plot-styles.js';
export { seriesOf, seriesStyles } from './shared/plot/series.js';
export { baseStyles } from './shared/styles.js';
