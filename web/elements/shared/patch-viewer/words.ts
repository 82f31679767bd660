import { Localised, type StringKey, type Translations } from '../localised.js';
import type { PatchHeads } from './patch-heads.js';
import english from './strings/en.json';

type PatchKey = keyof typeof english;

/** The texts of `<patch-viewer>`: its own, and those that it shares with the figures. */
export type PatchWords = Localised<PatchKey | StringKey>;

const PATCHES: Translations<PatchKey> = {
  english,
  load: (language) => import(`./strings/${language}.json`) as ReturnType<typeof PATCHES.load>,
};

/** The texts in an element's language. */
export function patchWords(element: ConstructorParameters<typeof Localised>[0]): PatchWords {
  return new Localised<PatchKey | StringKey>(element, PATCHES);
}

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
