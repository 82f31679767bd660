import { html, nothing, type TemplateResult } from 'lit';
import type { FigureData } from '../shared/figure/figure-data.js';
import type { Localised } from '../shared/localised.js';
import { nextTokens } from '../shared/next-tokens.js';
import type { StoryWords } from '../shared/story/story-texts.js';
import type { Writer } from '../shared/story/writer.js';
import type { Run } from './run.js';
import type { Shown } from './runs.js';

/** How many candidates for the next token are shown. */
const CANDIDATES = 4;

/** A run's text, and candidates for the next token. */
export function runTemplate(shown: {
  readonly writer: Writer;
  readonly words: StoryWords;
  readonly run: Run;
  /** How many tokens the reader gave. */
  readonly beginning: number;
  readonly name: string;
  /** A run to compare with: the text is highlighted from the first token that differs. */
  readonly other?: Run;
}): TemplateResult {
  const { writer, words, run, beginning, name, other } = shown;
  const { tokens } = run;
  const same = other === undefined ? tokens.length : sameTokens(tokens, other.tokens);
  const [given, shared, all] = [beginning, Math.max(beginning, same), tokens.length].map((count) =>
    writer.textOf(tokens.slice(0, count)),
  ) as [string, string, string];
  return html`<div class="run">
    <p class="name">${name}</p>
    <p class="story" lang="en">
      <span class="given">${given}</span>${shared.slice(given.length)}${
        all.length > shared.length ? html`<mark>${all.slice(shared.length)}</mark>` : nothing
      }${/* It may end within a word. */ run.canContinue ? nothing : '…'}
    </p>
    <p class="next-name">${words.text('story.next')}</p>
    ${nextTokens(
      words.text('story.next'),
      run.candidates(CANDIDATES).map(({ token, probability }) => ({ name: writer.pieceOf(token), share: probability })),
      words,
      'en',
    )}
  </div>`;
}

/** How many tokens two texts have in common at their beginning. */
function sameTokens(a: readonly number[], b: readonly number[]): number {
  const differs = a.findIndex((token, i) => token !== b[i]);
  return differs < 0 ? a.length : differs;
}

/** One row per token: its place, its text and id as trained, and the same with changes. */
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
