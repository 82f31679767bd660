/**
 * The figures of wasm-attention as custom elements, for anybody's page. Importing this module defines them all;
 * README.md in this folder lists their attributes, events and CSS custom properties.
 * @packageDocumentation
 */
export { AttentionDropout } from './attention-dropout/attention-dropout.js';
export { AttentionFormula } from './attention-formula/attention-formula.js';
export { AttentionHeads } from './attention-heads/attention-heads.js';
export { AttentionLookup } from './attention-lookup/attention-lookup.js';
export { AttentionMasks } from './attention-masks/attention-masks.js';
export { AttentionShapes } from './attention-shapes/attention-shapes.js';
export { AttentionTokens } from './attention-tokens/attention-tokens.js';
export { BinaryPositions } from './binary-positions/binary-positions.js';
export { ComplexityRace } from './complexity-race/complexity-race.js';
export { DepthCollapse } from './depth-collapse/depth-collapse.js';
export { EncodingRotation } from './encoding-rotation/encoding-rotation.js';
export { EncodingSimilarity } from './encoding-similarity/encoding-similarity.js';
export { HeadViewer } from './shared/head-viewer/head-viewer.js';
export type { ArrayForm, Bytes, Nested, Shaped } from './shared/arrays/shaped.js';
export type { HeadArrays, HeadDetail, Heads } from './shared/head-viewer/heads.js';
export { HeatMap, type CellDetail } from './shared/heat-map/heat-map.js';
export type { MapArrays } from './shared/heat-map/matrix.js';
export { LanguageModel } from './language-model/language-model.js';
export { LengthExtrapolation } from './length-extrapolation/length-extrapolation.js';
export { PathLengths } from './path-lengths/path-lengths.js';
export { PermutationDemo } from './permutation-demo/permutation-demo.js';
export { PositionTraining } from './position-training/position-training.js';
export { PositionalCurves } from './positional-curves/positional-curves.js';
export { PositionalHeatmap } from './positional-heatmap/positional-heatmap.js';
export { RelativeBiases } from './relative-biases/relative-biases.js';
export { RelativeTables } from './relative-tables/relative-tables.js';
export { RotaryPairs } from './rotary-pairs/rotary-pairs.js';
export type { EncodingSettings } from './shared/encoding/encoding-group.js';
