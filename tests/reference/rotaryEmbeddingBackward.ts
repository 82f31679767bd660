import { rotaryEmbedding, type RotaryReferenceOptions } from './rotaryEmbedding.js';
import type { Numbers, Reference } from './tensor.js';

/** The transpose of a rotation is the rotation the other way. */
export function rotaryEmbeddingBackward(
  gradOutput: Numbers,
  options: RotaryReferenceOptions = {},
): Reference {
  return rotaryEmbedding(gradOutput, options, -1);
}
