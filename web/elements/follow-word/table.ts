import type { FigureData } from '../shared/figure/figure-data.js';
import type { FollowWords, Scene } from './symbols.js';
import { candidatesOf } from './trace.js';

/** How many of the most likely next tokens the table has. */
const CANDIDATES = 10;

/** A row for each vector, with score and weight beside those of a word, and for each likely next token. */
export function sceneData(words: FollowWords, scene: Scene): FigureData {
  const { names, now, word, temperature, nameOf } = scene;
  const width = now.input.length;
  const row = (
    name: string,
    score: number | string,
    weight: number | string,
    values: ArrayLike<number>,
  ): (string | number)[] => [name, score, weight, ...Array.from({ length: width }, (_, i) => values[i] ?? '')];
  const vector = (name: string, values: ArrayLike<number>): (string | number)[] => row(name, '', '', values);
  return {
    columns: [
      words.text('follow.row'),
      words.text('lookup.score'),
      words.text('lookup.weight'),
      ...Array.from({ length: width }, (_, i) => String(i + 1)),
    ],
    rows: [
      vector('x', now.input),
      vector('Wq x̂', now.query.before),
      vector('q', now.query.after),
      vector('Wk x̂', now.key.before),
      ...names.flatMap((name, at) => [
        row(`k: ${name}`, now.scores[at] ?? '', at < word ? now.weights[at]! : 0, now.keys[at]!),
        vector(`v: ${name}`, now.values[at]!),
      ]),
      vector('z', now.mixture),
      vector('z₁ … z₈', now.joined),
      vector('o', now.output),
      ...candidatesOf(now.logits, temperature)
        .slice(0, CANDIDATES)
        .map(({ token, share }) => row(`p: ${nameOf(token)}`, '', share, [])),
    ],
  };
}
