import type { FigureData } from '../shared/figure/figure-data.js';
import type { Localised } from '../shared/localised.js';
import type { Shown } from './runs.js';
import type { Writer } from './writer.js';

/** A row for each token: its place, its text and number as trained, and the same with changes. */
export function storyData(words: Localised, { nameOf }: Writer, { plain, changed }: Shown): FigureData {
  const runs = changed === undefined ? [plain] : [plain, changed];
  const names = [words.text('story.plain'), words.text('story.changed')];
  const columns = runs.flatMap((_, i) => [
    `${words.text('story.token')}: ${names[i]}`,
    `${words.text('story.number')}: ${names[i]}`,
  ]);
  const rows = plain.tokens.map((_, place) => [
    place + 1,
    ...runs.flatMap(({ tokens }) => [nameOf(tokens[place] ?? 0), tokens[place] ?? 0]),
  ]);
  return { columns: [words.text('position'), ...columns], rows };
}
