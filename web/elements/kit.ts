/** Parts of the figures that the page uses for its own elements. */
export type { HeadDetail } from './package-types.js';
export { choices, toggle } from './shared/controls/controls.js';
export { controlStyles } from './shared/controls/control-styles.js';
export { Width } from './shared/controls/width.js';
export type { FigureElement } from './shared/figure/figure-element.js';
export { HeadViewer } from './shared/head-viewer/head-viewer.js';
export { headsOf, NO_HEADS, type Heads } from './shared/heads/heads.js';
export { HeatMap } from './shared/heat-map/heat-map.js';
export { valuesTable } from './shared/heat-map/values-table.js';
export { likeliest } from './shared/likeliest.js';
export { Localised, type StringKey, type Translations } from './shared/localised.js';
export { nextTokens, nextTokensStyles } from './shared/next-tokens.js';
export { seriesStyles } from './shared/plot/series.js';
export { baseStyles } from './shared/styles.js';
export { tableStyles } from './shared/table-styles.js';
