import { checkOut } from '../../check/arrays.js';
import { checkBoolean, wrongValue } from '../../check/values.js';
import * as AttentionArgs from '../../generated/bindings/attentionArgs.js';
import { scoresStages } from '../../generated/bindings/enums.js';
import { words } from '../../runtime/args.js';
import type { Memory } from '../../runtime/memory.js';
import type { AttentionOptions, AttentionResult } from '../../types.js';
import type { AttentionSizes } from './options.js';

/** Reserves memory for the requested results, within a scope; returns a function that reads them. */
export type PlaceRequested = (memory: Memory) => (result: AttentionResult) => void;

/** Checks the options that request results besides the output. */
export function checkRequestedResults(
  operation: string,
  { needWeights, needScores, needLogSumExp, out }: AttentionOptions,
  { batch, heads, queries, keys, scoresShape }: AttentionSizes,
): PlaceRequested {
  const rows = batch * heads * queries;
  if (needWeights != null) checkBoolean(operation, 'needWeights', needWeights);
  if (needLogSumExp != null) checkBoolean(operation, 'needLogSumExp', needLogSumExp);
  const stage = needScores == null ? 0 : checkStage(operation, needScores);
  const intoWeights = checkOut(operation, 'out.weights', out?.weights, rows * keys);
  return (memory) => {
    const weights = needWeights ? memory.reserve(rows * keys) : 0;
    const scores = stage ? memory.reserve(rows * keys) : 0;
    const logSumExp = needLogSumExp ? memory.reserve(rows) : 0;
    words[AttentionArgs.weights] = weights;
    words[AttentionArgs.scores] = scores;
    words[AttentionArgs.scoresStage] = stage;
    words[AttentionArgs.logSumExp] = logSumExp;
    return (result) => {
      if (weights) result.weights = memory.tensor(weights, scoresShape, intoWeights);
      if (scores) result.scores = memory.tensor(scores, scoresShape);
      if (logSumExp) result.logSumExp = memory.tensor(logSumExp, scoresShape.slice(0, -1));
    };
  };
}

function checkStage(operation: string, value: unknown): number {
  const stages: readonly unknown[] = scoresStages;
  const stage = stages.indexOf(value);
  return stage > 0 ? stage : wrongValue(operation, `needScores to be one of ${stages.slice(1).join(', ')}`, value);
}
