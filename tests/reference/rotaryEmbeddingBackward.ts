import { rotaryEmbedding, type RotaryReferenceOptions } from './rotaryEmbedding.js';
import type { Numbers, Reference } from './tensor.js';

/** The gradient is the transpose of the rotation, which rotates the other way. */
export function rotaryEmbeddingBackward(gradOutput: Numbers, options: RotaryReferenceOptions = {}): Reference {
  return rotaryEmbedding(gradOutput, options, -1);
}
