/** `<patch-viewer>`, for the page's element for models that read pictures. */
export { patchHeadsOf, type PatchHeads } from './shared/patch-viewer/patch-heads.js';
export { PatchViewer } from './shared/patch-viewer/patch-viewer.js';
