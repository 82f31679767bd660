import { circlesIn, GRID } from '../../../training/index.js';
import { longest } from '../../shared/controls/controls.js';
import { answerOf, ROUNDING, rowOf, type Scene } from '../scene.js';
import type { CircleWords } from './circle-words.js';

/** How many circles there are, and what the model answers. */
export function answerText(words: CircleWords, { picture, sight }: Scene): string {
  const answer = answerOf(sight);
  return words.text('circles.answer', {
    count: words.number(circlesIn(picture).length),
    answer: words.number(answer),
    share: words.percent(sight.shares[answer]!, 1),
  });
}

/** The same, and whether the answer is right. */
export function markedText(words: CircleWords, scene: Scene): string {
  const isRight = answerOf(scene.sight) === circlesIn(scene.picture).length;
  return `${answerText(words, scene)}, ${words.text(isRight ? 'circles.right' : 'circles.wrong')}.`;
}

/** Why: the model knows where its patches are or not, and moving them has changed weights or not. */
export function reasonText(
  words: CircleWords,
  { before, change }: Scene,
  positions: boolean,
  isMoved: boolean,
): string {
  if (!isMoved) return words.text(positions ? 'circles.known' : 'circles.blind');
  const changed = { before: words.number(answerOf(before)), change: words.value(change) };
  return words.text(change > ROUNDING ? 'circles.changed' : 'circles.same', changed);
}

/** The longest reason. */
export function longestReason(words: CircleWords): string {
  const values = { before: words.number(0), change: words.value(1e-7) };
  return longest(
    ...(['known', 'blind', 'changed', 'same'] as const).map((reason) => words.text(`circles.${reason}`, values)),
  );
}

/** What can lie in a patch, in the order of `Picture.pieces`. */
const PIECES = ['circles.piece0', 'circles.piece1', 'circles.piece2', 'circles.piece3', 'circles.piece4'] as const;

/** A place’s row and column, and the quarter that lies there. */
export function placeText(words: CircleWords, { picture }: Scene, place: number): string {
  return words.text('circles.place', {
    ...placeOf(words, place),
    piece: words.text(PIECES[picture.pieces[place]!]!),
  });
}

/** Row and column of a place, from 1. */
function placeOf(words: CircleWords, place: number): { row: string; column: string } {
  return { row: words.number(Math.floor(place / GRID) + 1), column: words.number((place % GRID) + 1) };
}

/** What the patch at a place attends to: for a quarter of a circle, how much to its others; else, to which patch most. */
export function attentionText(words: CircleWords, { picture, sight }: Scene, place: number): string {
  const own = circlesIn(picture)
    .find((patches) => patches.includes(place))
    ?.filter((patch) => patch !== place);
  const rows = sight.heads.map((head) => rowOf(head, place));
  const sums = rows.map((row) => (own ? own.reduce((sum, patch) => sum + row[patch]!, 0) : Math.max(...row)));
  const most = Math.max(...sums);
  const head = sums.indexOf(most);
  const key = rows[head]!.indexOf(most);
  return words.text(own ? 'circles.own' : 'circles.most', {
    head: words.number(head + 1),
    share: words.percent(most, 0),
    ...placeOf(words, key),
  });
}
