import { tagOf, wrongKind } from '../check/values.js';
import { OPERATION } from './config/architecture.js';
import type { OpenModelOptions } from './types.js';

/** The options that are called or listened to. */
export function checkCalls(given: OpenModelOptions): Pick<OpenModelOptions, 'onProgress' | 'signal'> {
  const { onProgress, signal } = given;
  if (onProgress != null && typeof onProgress !== 'function') {
    wrongKind(OPERATION, 'onProgress to be a function', onProgress);
  }
  if (signal != null && tagOf(signal) !== 'AbortSignal') wrongKind(OPERATION, 'signal to be an AbortSignal', signal);
  return { ...(onProgress && { onProgress }), ...(signal && { signal }) };
}
