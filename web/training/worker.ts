/** The worker: `new Worker(new URL('worker.ts', import.meta.url), { type: 'module' })`, or through `Trainer`. */
import { load } from 'wasm-attention';
import type { FromWorker, Port, ToWorker } from './protocol.js';
import { serve } from './serve.js';

serve(self as unknown as Port<FromWorker, ToWorker>, load);
