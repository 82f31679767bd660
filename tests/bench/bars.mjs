/** What this library aims at where a run is about something else than one thread of Node's: see works.mjs for the rest. */
import { ORT } from './works.mjs';

const overOrt = (ratio) => ({ over: ORT, as: 'ort', ratio });
const overJax = (ratio) => ({ over: ['jax-js'], as: 'jax-js', ratio });
const overItself = (as, ratio) => ({ over: ['baseline'], as, ratio });

/** What several threads were made for. */
const isBig = (name) => /^(matmul-1024|attention-(512|1024|4096)(-causal)?|mha-1x512x768)$/.test(name);
const isAttention = (name) => /^attention-\d+(-causal)?$/.test(name);
/** Where products are most of the work. */
const fuses = (name) => /^(matmul-|attention-\d+$)/.test(name);

/** Of `count` threads over one; nothing may become slower. Two are what was aimed at. */
export const scalingBar = (name, count) => (count === 2 && isBig(name) ? 1.8 : 0.95);

/** The bars of a row under the options of a run. */
export function barsFor({ name, bars }, { threads, relaxed, browser }) {
  if (relaxed) return [overItself('plain', fuses(name) ? 1.15 : 0.95)];
  const peers = browser
    ? isAttention(name) && [overOrt(1.5), overJax(1.5)]
    : isBig(name) && [overOrt(name.endsWith('causal') ? 2.6 : 1.45)];
  if (threads === 1) return browser && peers ? peers : bars;
  return [overItself('one thread', scalingBar(name, threads)), ...(peers || [])];
}
