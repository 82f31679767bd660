import { html, type TemplateResult } from 'lit';
import type { Localised } from '../localised.js';

/** How many tokens are told. */
const MOST = 3;

/** Which tokens a token attends to most, from its weights. */
export function looksText(
  words: Pick<Localised, 'text' | 'number'>,
  nameOf: (token: number) => string,
  token: number,
  weights: Float32Array,
): string {
  const keys = Array.from(weights, (weight, key) => ({ weight, key }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MOST)
    .map(({ weight, key }) => `${nameOf(key)} ${words.number(weight, 2)}`);
  return words.text('viewer.strongest', { query: nameOf(token), keys: keys.join(', ') });
}

/** A text in which what it quotes is marked as English, apart from the name of the token that starts a text. */
export function quotingEnglish(text: string, start?: string): readonly (string | TemplateResult)[] {
  const parts = text.split(/(?<=[“‘])(.+?)(?=[”’])/);
  return parts.map((part, i) => (i % 2 === 0 || part === start ? part : html`<span lang="en">${part}</span>`));
}
