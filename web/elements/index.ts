/**
 * The figures of wasm-attention as custom elements for any page. Importing this module defines them all; README.md in
 * this folder lists their attributes, events and CSS custom properties.
 * @packageDocumentation
 */
export * from './generated/classes.js';
export { HeadViewer } from './shared/head-viewer/head-viewer.js';
export type { ArrayForm, Bytes, Nested, Shaped } from './shared/arrays/shaped.js';
export type { HeadArrays, HeadDetail, Heads } from './shared/heads/heads.js';
export { LensViewer } from './shared/lens-viewer/lens-viewer.js';
export type { LayerLogits, LensArrays } from './shared/lens-viewer/lens.js';
export { PatchViewer } from './shared/patch-viewer/patch-viewer.js';
export type { PatchArrays, Patches, PatchHeads } from './shared/patch-viewer/patch-heads.js';
export type { PictureForm, Region } from './shared/patch-viewer/picture.js';
export { RampLegend } from './shared/heat-map/ramp-legend.js';
export { HeatMap, type CellDetail } from './shared/heat-map/heat-map.js';
export type { MapArrays } from './shared/heat-map/matrix.js';
export type { EncodingSettings } from './shared/encoding/encoding-group.js';
