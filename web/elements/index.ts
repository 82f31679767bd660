/**
 * The figures of wasm-attention as custom elements, for anybody's page. Importing this module defines them all; README.md
 * in this folder lists their attributes, events and CSS custom properties.
 * @packageDocumentation
 */
export { AttentionDropout } from './attention-dropout.js';
export { AttentionFormula } from './attention-formula.js';
export { AttentionHeads } from './attention-heads.js';
export { AttentionLookup } from './attention-lookup.js';
export { AttentionMasks } from './attention-masks.js';
export { AttentionShapes } from './attention-shapes.js';
export { AttentionTokens } from './attention-tokens.js';
export { BinaryPositions } from './binary-positions.js';
export { ComplexityRace } from './complexity-race.js';
export { DepthCollapse } from './depth-collapse.js';
export { EncodingRotation } from './encoding-rotation.js';
export { EncodingSimilarity } from './encoding-similarity.js';
export { HeatMap, type CellDetail } from './heat-map.js';
export { LengthExtrapolation } from './length-extrapolation.js';
export { PathLengths } from './path-lengths.js';
export { PermutationDemo } from './permutation-demo.js';
export { PositionTraining } from './position-training.js';
export { PositionalCurves } from './positional-curves.js';
export { PositionalHeatmap } from './positional-heatmap.js';
export { RelativeTables } from './relative-tables.js';
export type { EncodingSettings } from './encoding-group.js';
