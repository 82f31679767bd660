/** What the figures are made of, for elements of the page's own that are to look and speak as they do. */
export { controlStyles } from './shared/controls/control-styles.js';
export { widthObserver } from './shared/controls/width.js';
export type { FigureElement } from './shared/figure/figure-element.js';
export { HeatMap } from './shared/heat-map/heat-map.js';
export { valuesTable } from './shared/heat-map/values-table.js';
export { Localised, type StringKey, type Translations } from './shared/localised.js';
export { spreadLabels } from './shared/plot/direct-labels.js';
export { seriesOf, seriesStyles } from './shared/plot/series.js';
export { baseStyles } from './shared/styles.js';
export { tableStyles } from './shared/table-styles.js';
