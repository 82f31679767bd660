/** The module of every figure by its tag, for pages that load a figure when its reader comes near it. */
export const registry: Readonly<Record<string, () => Promise<unknown>>> = {
  'attention-formula': () => import('./attention-formula.js'),
  'attention-heads': () => import('./attention-heads.js'),
  'attention-masks': () => import('./attention-masks.js'),
  'attention-tokens': () => import('./attention-tokens.js'),
  'attention-lookup': () => import('./attention-lookup.js'),
  'binary-positions': () => import('./binary-positions.js'),
  'complexity-race': () => import('./complexity-race.js'),
  'depth-collapse': () => import('./depth-collapse.js'),
  'encoding-rotation': () => import('./encoding-rotation.js'),
  'encoding-similarity': () => import('./encoding-similarity.js'),
  'path-lengths': () => import('./path-lengths.js'),
  'permutation-demo': () => import('./permutation-demo.js'),
  'positional-curves': () => import('./positional-curves.js'),
  'positional-heatmap': () => import('./positional-heatmap.js'),
  'relative-tables': () => import('./relative-tables.js'),
};
