import type { Localised, StringKey, Translations } from '../localised.js';
import type { PatchHeads } from './patch-heads.js';
import english from './strings/en.json';

/** The texts of `<patch-viewer>`: its own, and those that it shares with the figures. */
export type PatchWords = Localised<keyof typeof english | StringKey>;

export const PATCHES: Translations<keyof typeof english> = {
  english,
  load: (language) => import(`./strings/${language}.json`),
};

/** What a token is called: a patch by its place, another by its own name. */
export function tokenName(words: PatchWords, { patches, special }: PatchHeads, token: number): string {
  const { first, columns } = patches;
  if (token >= first) {
    const [row, column] = [Math.floor((token - first) / columns) + 1, ((token - first) % columns) + 1];
    return words.text('patches.place', { row, column });
  }
  const kind = special[token] ?? '';
  if (kind === '') return words.text('patches.token', { number: token + 1 });
  if (kind === 'class' || kind === 'distillation') return words.text(`patches.${kind}`);
  if (kind !== 'register') return kind;
  const number = special.slice(0, token + 1).filter((each) => each === kind).length;
  const several = special.indexOf(kind) !== special.lastIndexOf(kind);
  return words.text(several ? 'patches.registerNumber' : 'patches.register', { number });
}
