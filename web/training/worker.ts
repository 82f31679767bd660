/** The script of the worker that trains. */
import { load } from 'wasm-attention';
import type { FromWorker, Port, ToWorker } from './protocol.js';
import { serve } from './serve.js';

serve(self as unknown as Port<FromWorker, ToWorker>, load);
