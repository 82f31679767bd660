import type { Localised } from './localised.js';

/** Why a training could not run; `message` is the error's, if it has one. */
export function trainingFailure(words: Localised, message: string): string {
  // Pages from a disk have no origin either.
  const sandboxed = self.origin === 'null' && location.protocol !== 'file:';
  const reason = sandboxed ? words.text('training.sandboxed') : message;
  return `${words.text('training.failed')} ${reason}`.trim();
}
