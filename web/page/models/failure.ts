import type { SlowTokenizer } from './tokenizer.js';
import type { ModelWords } from './words.js';

/** What went wrong with a text or a picture, in words. */
export function failureOf(words: ModelWords, error: unknown, what: 'failed' | 'pictureFailed' = 'failed'): string {
  const { message = String(error), reason, detail = '' } = error as Partial<SlowTokenizer>;
  if (reason === 'slow') return words.text('models.slow', { seconds: detail });
  return words.text(`models.${what}`, { message });
}
