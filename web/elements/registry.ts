/** The module of every figure by its tag, for pages that load a figure when it comes near the window. */
export const registry: Readonly<Record<string, () => Promise<unknown>>> = {
  'attention-dropout': () => import('./attention-dropout/attention-dropout.js'),
  'attention-formula': () => import('./attention-formula/attention-formula.js'),
  'attention-heads': () => import('./attention-heads/attention-heads.js'),
  'attention-lookup': () => import('./attention-lookup/attention-lookup.js'),
  'attention-masks': () => import('./attention-masks/attention-masks.js'),
  'attention-shapes': () => import('./attention-shapes/attention-shapes.js'),
  'attention-tokens': () => import('./attention-tokens/attention-tokens.js'),
  'binary-positions': () => import('./binary-positions/binary-positions.js'),
  'complexity-race': () => import('./complexity-race/complexity-race.js'),
  'depth-collapse': () => import('./depth-collapse/depth-collapse.js'),
  'encoding-rotation': () => import('./encoding-rotation/encoding-rotation.js'),
  'encoding-similarity': () => import('./encoding-similarity/encoding-similarity.js'),
  'language-model': () => import('./language-model/language-model.js'),
  'length-extrapolation': () => import('./length-extrapolation/length-extrapolation.js'),
  'path-lengths': () => import('./path-lengths/path-lengths.js'),
  'permutation-demo': () => import('./permutation-demo/permutation-demo.js'),
  'position-training': () => import('./position-training/position-training.js'),
  'positional-curves': () => import('./positional-curves/positional-curves.js'),
  'positional-heatmap': () => import('./positional-heatmap/positional-heatmap.js'),
  'relative-biases': () => import('./relative-biases/relative-biases.js'),
  'relative-tables': () => import('./relative-tables/relative-tables.js'),
  'rotary-pairs': () => import('./rotary-pairs/rotary-pairs.js'),
};

/** Parts of figures that a page can use on their own. */
export const parts: typeof registry = {
  'head-viewer': () => import('./shared/head-viewer/head-viewer.js'),
  'heat-map': () => import('./shared/heat-map/heat-map.js'),
  'ramp-legend': () => import('./shared/heat-map/ramp-legend.js'),
};
