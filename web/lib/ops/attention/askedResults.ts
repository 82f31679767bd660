import { checkOut } from '../../check/arrays.js';
import { checkBoolean, wrongValue } from '../../check/values.js';
import * as AT from '../../generated/bindings/attentionArgs.js';
import { scoresStages } from '../../generated/bindings/enums.js';
import { words } from '../../runtime/args.js';
import type { Memory } from '../../runtime/memory.js';
import type { AttentionOptions, AttentionResult } from '../../types.js';
import type { AttentionSizes } from './options.js';

/**
 * The results that options ask for besides the output: `place` reserves memory for them, within a scope, and `read`
 * collects them.
 */
export interface AskedResults {
  place(memory: Memory): void;
  read(memory: Memory, result: AttentionResult): void;
}

/** Checks the options that ask for results besides the output. */
export function checkAskedResults(
  operation: string,
  { needWeights, needScores, needLogSumExp, out }: AttentionOptions,
  { batch, heads, queries, keys, scoresShape }: AttentionSizes,
): AskedResults {
  const rows = batch * heads * queries;
  if (needWeights != null) checkBoolean(operation, 'needWeights', needWeights);
  if (needLogSumExp != null) checkBoolean(operation, 'needLogSumExp', needLogSumExp);
  const stage = needScores == null ? 0 : checkStage(operation, needScores);
  const intoWeights = checkOut(operation, 'out.weights', out?.weights, rows * keys);
  return {
    place(memory) {
      if (needWeights) words[AT.weights] = memory.reserve(rows * keys);
      if (stage) {
        words[AT.scores] = memory.reserve(rows * keys);
        words[AT.scoresStage] = stage;
      }
      if (needLogSumExp) words[AT.logSumExp] = memory.reserve(rows);
    },
    read(memory, result) {
      if (needWeights) result.weights = memory.tensor(words[AT.weights]!, scoresShape, intoWeights);
      if (stage) result.scores = memory.tensor(words[AT.scores]!, scoresShape);
      if (needLogSumExp) result.logSumExp = memory.tensor(words[AT.logSumExp]!, scoresShape.slice(0, -1));
    },
  };
}

function checkStage(operation: string, value: unknown): number {
  const stages: readonly unknown[] = scoresStages;
  const stage = stages.indexOf(value);
  return stage > 0 ? stage : wrongValue(operation, `needScores to be one of ${stages.slice(1).join(', ')}`, value);
}
