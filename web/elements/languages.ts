/** The languages of page and figures, in the order of the page's menu. */
export const LANGUAGES = ['en', 'pt', 'ko', 'tr', 'id'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Any text that may be in a `lang` attribute as a tag that `Intl` knows: English if it is none. */
export function localeOf(text: string): string {
  try {
    return Intl.getCanonicalLocales(text.replaceAll('_', '-'))[0]!;
  } catch {
    return 'en';
  }
}

/** The language of a tag such as `pt-BR`, or English if it has no texts. */
export function languageOf(tag: string): Language {
  const first = tag.toLowerCase().split('-')[0];
  return LANGUAGES.find((language) => language === first) ?? 'en';
}
