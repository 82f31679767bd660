/**
 * The figures of wasm-attention as custom elements for any page. Importing this module defines them all; README.md in
 * this folder lists their attributes, events and CSS custom properties.
 * @packageDocumentation
 */
export * from './generated/classes.js';
export { HeadViewer } from './shared/head-viewer/head-viewer.js';
export type {
  ArrayForm,
  Bytes,
  CellDetail,
  HeadArrays,
  HeadDetail,
  LayerLogits,
  LensArrays,
  MapArrays,
  Nested,
  PatchArrays,
  Patches,
  PictureForm,
  Region,
  Shaped,
} from './package-types.js';
export type { Heads } from './shared/heads/heads.js';
export { LensViewer } from './shared/lens-viewer/lens-viewer.js';
export { PatchViewer } from './shared/patch-viewer/patch-viewer.js';
export type { PatchHeads } from './shared/patch-viewer/patch-heads.js';
export { RampLegend } from './shared/heat-map/ramp-legend.js';
export { HeatMap } from './shared/heat-map/heat-map.js';
export type { EncodingSettings } from './shared/encoding/encoding-group.js';
