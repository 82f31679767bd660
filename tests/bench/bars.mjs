/** The bars of runs with threads, relaxed SIMD or a browser. Those of one thread in Node are in works.mjs. */
import { ORT } from './works.mjs';

const overOrt = (ratio) => ({ over: ORT, as: 'ort', ratio });
const overItself = (as, ratio) => ({ over: ['baseline'], as, ratio });

/** Large enough for several threads to pay. */
const isBig = (name) => /^(matmul-1024|attention-(512|1024|4096)(-causal)?|mha-1x512x768)$/.test(name);
const isAttention = (name) => /^attention-\d+(-causal)?$/.test(name);
/** Mostly products, which gain from the fused multiply-add. */
const fuses = (name) => /^(matmul-|attention-\d+$)/.test(name);

/** How many times as fast as one thread: 1.8 on two threads for large work; nothing else may become slower. */
export const scalingBar = (name, count) => (count === 2 && isBig(name) ? 1.8 : 0.95);

/** The bars of a row under the options of a run. */
export function barsFor({ name, bars }, { threads, relaxed, browser }) {
  if (relaxed) return [overItself('plain', fuses(name) ? 1.15 : 0.95)];
  const peers = browser
    ? isAttention(name) && [overOrt(1.5)]
    : isBig(name) && [overOrt(name.endsWith('causal') ? 2.6 : 1.45)];
  if (threads === 1) return browser && peers ? peers : bars;
  return [overItself('one thread', scalingBar(name, threads)), ...(peers || [])];
}
