import type { Localised, StringKey } from '../shared/localised.js';
import { looksText } from '../shared/story/looks-text.js';
import type { StoryWords } from '../shared/story/story-texts.js';
import type english from './texts/en.json';
import { candidatesOf, type Candidate, type Trace } from './trace.js';

export type FollowWords = Localised<keyof typeof english | StringKey> & StoryWords;

/**
 * The formulas' symbols: input, query, key, value, score, weight, mixture, the mixtures of all heads, what they add,
 * probabilities.
 */
export type FollowSymbol = 'x' | 'q' | 'k' | 'v' | 's' | 'a' | 'z' | 'm' | 'o' | 'p';

/** What a symbol denotes: of keys and values, scores and weights those of one word, counted from 1, or of all words. */
export interface Pointed {
  readonly symbol: FollowSymbol;
  readonly key?: number | undefined;
  /** Where in a long vector, from 0 to 1. */
  readonly place?: number;
}

/** Whether a part of the picture is what the reader points at, or belongs to it. */
export function isLit(pointed: Pointed | undefined, symbol: FollowSymbol, key?: number): boolean {
  return pointed?.symbol === symbol && (pointed.key === undefined || key === undefined || pointed.key === key);
}

/** What the reader follows. */
export interface Scene {
  readonly tokens: readonly number[];
  /** The tokens' names. */
  readonly names: readonly string[];
  /** Whether a token continues the word before it. */
  readonly joined: (token: number) => boolean;
  readonly nameOf: (token: number) => string;
  readonly word: number;
  readonly layer: number;
  readonly head: number;
  /** Scores that the reader has moved, by their keys. */
  readonly moved: ReadonlyMap<number, number>;
  readonly temperature: number;
  /** As the model computes it, and with the bars that the reader has moved. */
  readonly plain: Trace;
  readonly now: Trace;
}

/** What a symbol or a part of the picture is. */
export function named(words: FollowWords, { names, word, layer, head }: Scene, { symbol, key }: Pointed): string {
  const quoted = isEvery(symbol, key)
    ? words.text('follow.every')
    : words.text('story.quoted', { word: names[(key ?? word) - 1]! });
  return words.text(`follow.${symbol}`, { word: quoted, layer, head });
}

/** Whether a symbol denotes those of all words. */
function isEvery(symbol: FollowSymbol, key: number | undefined): boolean {
  return key === undefined && 'kvsa'.includes(symbol);
}

/** Its name and its numbers: the one pointed at, or all if there are few. */
export function described(words: FollowWords, scene: Scene, pointed: Pointed): string {
  const { symbol, key, place } = pointed;
  const { word, now } = scene;
  const at = (key ?? word) - 1;
  const name = named(words, scene, pointed);
  const { input: x, mixture: z, joined: m, output: o } = now;
  const one = (values: Float32Array): Float32Array => values.subarray(at, at + 1);
  const all = {
    x,
    q: now.query.after,
    k: now.keys[at],
    v: now.values[at],
    s: one(now.scores),
    a: one(now.weights),
    z,
    m,
    o,
  };
  const values = isEvery(symbol, key) || symbol === 'p' ? undefined : all[symbol];
  if (values === undefined) return name;
  const { length } = values;
  if (length <= 8) return `${name}: ${Array.from(values, (value) => words.number(value, 2)).join('; ')}`;
  if (place !== undefined) {
    const stripe = Math.max(0, Math.min(length - 1, Math.floor(place * length)));
    return words.text('follow.stripe', { name, number: stripe + 1, value: words.value(values[stripe]!) });
  }
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => words.number(value, 2));
  return words.text('follow.range', { name, count: length, least: least!, most: most! });
}

/** What the word looks at most, or what follows from the bar that the reader has moved last; and the next token. */
export function shownText(words: FollowWords, scene: Scene): string {
  const { names, word, layer, head, moved, now } = scene;
  if (moved.size > 0) return outcomeText(words, scene);
  const quoted = (at: number): string => words.text('story.quoted', { word: names[at]! });
  const looks = looksText(words, quoted, word - 1, now.weights);
  return `${words.text('viewer.head', { layer, head })}: ${looks}. ${nextText(words, scene)}`;
}

/** The most likely next token. */
function nextText(words: FollowWords, { now, temperature, nameOf }: Scene): string {
  return words.text('follow.next', nextOf(words, now, temperature, nameOf));
}

/** What follows from the bar that the reader has moved last. */
function outcomeText(words: FollowWords, scene: Scene): string {
  const { names, plain, now, moved, temperature, nameOf } = scene;
  const key = [...moved.keys()].at(-1) ?? 1;
  const outcome = words.text('follow.outcome', {
    word: names[key - 1]!,
    score: words.number(now.scores[key - 1]!, 1),
    weight: words.percent(now.weights[key - 1]!, 0),
    before: words.percent(plain.weights[key - 1]!, 0),
  });
  const before = words.text('follow.before', nextOf(words, plain, temperature, nameOf));
  return `${outcome} ${nextText(words, scene)} ${before}`;
}

function nextOf(
  words: FollowWords,
  { logits }: Trace,
  temperature: number,
  nameOf: Scene['nameOf'],
): Record<string, string> {
  const [{ token, share }] = candidatesOf(logits, temperature) as [Candidate];
  return { token: nameOf(token), share: words.percent(share, 0) };
}
