import { tagOf, wrongKind } from '../check/values.js';
import { OPERATION } from './config/architecture.js';
import type { OpenModelOptions } from './types.js';

/** The options that are called or listened to. */
export function checkCalls(given: OpenModelOptions): Pick<OpenModelOptions, 'onProgress' | 'signal'> {
  const { onProgress, signal } = given;
  if (onProgress != null && typeof onProgress !== 'function') {
    wrongKind(OPERATION, 'onProgress to be a function', onProgress);
  }
  checkSignal(OPERATION, signal);
  return { ...(onProgress && { onProgress }), ...(signal && { signal }) };
}

export function checkSignal(operation: string, signal: unknown): void {
  if (signal != null && tagOf(signal) !== 'AbortSignal') wrongKind(operation, 'signal to be an AbortSignal', signal);
}
