/** `<lens-viewer>`, for the page's element for models that read texts. */
export type { LayerLogits } from './package-types.js';
export { lensesOf, type Lenses } from './shared/lens-viewer/lens.js';
export { LensViewer } from './shared/lens-viewer/lens-viewer.js';
