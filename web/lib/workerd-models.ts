/** wasm-attention/models for Cloudflare's isolates. */
import { createOpenModel } from './models/openModel.js';
import { load } from './workerd.js';

export { readCheckpoint } from './models/checkpoint/readCheckpoint.js';
export { drift } from './models/drift.js';
export { pixelsOf } from './models/pictures/pixelsOf.js';

export const openModel = createOpenModel(() => Promise.resolve({ load }));
