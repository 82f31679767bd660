/** The module of every figure by its tag, for pages that load a figure when its reader comes near it. */
export const registry: Readonly<Record<string, () => Promise<unknown>>> = {
  'attention-heads': () => import('./attention-heads.js'),
  'binary-positions': () => import('./binary-positions.js'),
  'depth-collapse': () => import('./depth-collapse.js'),
  'encoding-rotation': () => import('./encoding-rotation.js'),
  'path-lengths': () => import('./path-lengths.js'),
  'positional-curves': () => import('./positional-curves.js'),
  'positional-heatmap': () => import('./positional-heatmap.js'),
};
