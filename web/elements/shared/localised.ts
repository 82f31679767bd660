import type { ReactiveController, ReactiveControllerHost } from 'lit';
import english from '../generated/strings/en.json';
import { languageOf, localeOf, type Language } from '../languages.js';
import { filled } from './filled.js';
import { Numbers } from './numbers.js';

export type StringKey = keyof typeof english;

/** Texts in several languages, with the same keys in each. English is included; the others are loaded when needed. */
export interface Translations<Key extends string> {
  readonly english: Readonly<Record<Key, string>>;
  /** Imports the module of a language. */
  readonly load: (language: Language) => Promise<unknown>;
}

/** The texts of the figures. */
const FIGURES: Translations<StringKey> = {
  english,
  load: (language) => import(`../generated/strings/${language}.json`),
};

/**
 * Gives an element the texts and number formats of its language, from the nearest `lang` attribute around it, across
 * shadow roots. Languages without a translation get English, and the element says so in its own `lang`. An element may have its own texts in addition to those of
 * the figures.
 */
export class Localised<Key extends string = StringKey> implements ReactiveController {
  /** False while the texts are loading; render nothing until then. */
  ready = false;
  /** BCP 47 tag for `Intl`. */
  language = 'en';
  /** Whether the host's `lang` says that it has no texts in the page's language. */
  #isMarked = false;
  readonly #translations: readonly Translations<string>[];
  readonly #english: Readonly<Record<string, string>>;
  #strings: Readonly<Record<string, string>>;
  #numbers = new Numbers('en');

  constructor(
    private readonly host: ReactiveControllerHost & HTMLElement,
    ...own: readonly Translations<string>[]
  ) {
    this.#translations = [FIGURES, ...own];
    this.#english = Object.assign({}, ...this.#translations.map((each) => each.english)) as Record<string, string>;
    this.#strings = this.#english;
    host.addController(this);
  }

  hostConnected(): void {
    const tag = tagAround(this.host);
    const language = languageOf(tag);
    const isForeign = language === 'en' && !/^en\b/.test(tag);
    if (isForeign) this.host.lang = language;
    this.#isMarked = isForeign;
    this.language = isForeign ? language : tag;
    this.#numbers = new Numbers(this.language);
    if (language === 'en') {
      this.#use(this.#english);
      return;
    }
    Promise.all(this.#translations.map(({ load }) => load(language) as Promise<{ default: object }>)).then(
      (modules) => this.#use(Object.assign({}, ...modules.map((module) => module.default)) as object),
      () => this.#use(this.#english),
    );
  }

  hostDisconnected(): void {
    if (this.#isMarked) this.host.removeAttribute('lang');
  }

  /** The text for `key`, with `{name}` replaced by `values.name`. */
  text(key: Key | StringKey, values: Readonly<Record<string, string | number>> = {}): string {
    return filled(this.#strings[key] ?? '', values);
  }

  /** A number with a true minus sign; with `digits` decimals if given, else up to three. */
  number(value: number, digits?: number): string {
    return this.#numbers.number(value, digits);
  }

  /** A share in per cent, with `digits` decimals. */
  percent(share: number, digits: number): string {
    return this.#numbers.percent(share, digits);
  }

  /** A computed value, in scientific notation if `digits` decimals (default 3) would hide it. */
  value(value: number, digits?: number): string {
    return this.#numbers.value(value, digits);
  }

  #use(strings: object): void {
    this.#strings = { ...this.#english, ...strings };
    this.ready = true;
    this.host.requestUpdate();
  }
}

/** The nearest `lang` around an element, as a tag that `Intl` knows. */
function tagAround(element: Element): string {
  for (let node: Element | null = element; node !== null;) {
    const language = node.closest('[lang]')?.getAttribute('lang');
    if (language) return localeOf(language);
    const root: Node = node.getRootNode();
    node = root instanceof ShadowRoot ? root.host : null;
  }
  return 'en';
}
