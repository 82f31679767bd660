import { wrongValue } from '../../check/values.js';
import type { Architecture } from '../config/architecture.js';
import type { Tensor } from '../../types.js';
import type { Pass, Read, Run } from '../pass/check.js';
import { OPERATION } from './options.js';
import { mostLikely } from './sampling.js';

/**
 * Throws an error that tells where the numbers began that make a pass's logits useless. It runs the pass again, with the
 * caller's hooks.
 *
 * @param read reads the logits
 */
export function refuseLogits(run: Run, pass: Pass, { layers, names }: Architecture, read: Read<Float32Array>): never {
  const { cache, request } = pass;
  const found: string[] = [];
  const hooks = new Map(request.hooks);
  const watch = (name: string, place: string): void => {
    const see = ({ data }: Tensor): void => {
      if (!data.every(Number.isFinite)) found.push(place);
    };
    hooks.set(name, { ...hooks.get(name), see });
  };
  watch('blocks.0.hook_resid_pre', 'the embeddings');
  for (let layer = 0; layer < layers; ++layer) watch(`blocks.${layer}.hook_resid_post`, `layer ${layer}`);
  if (names.finalNorm !== undefined) watch('ln_final.hook_normalized', 'the last norm');
  cache!.truncate(request.past);
  const logits = run({ ...pass, request: { ...request, hooks } }, read);
  cache!.truncate(request.past);
  const last = mostLikely(logits) < 0 ? 'the logits' : 'what onLogits and repetitionPenalty make of them';
  return wrongValue(OPERATION, 'finite logits', `NaN or infinity, first in ${found[0] ?? last}`);
}
