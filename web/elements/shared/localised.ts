import type { ReactiveController, ReactiveControllerHost } from 'lit';
import english from '../strings/en.json';
import { Numbers } from './numbers.js';

/** The words of the figures, the same keys in every language. */
export type Strings = typeof english;
export type StringKey = keyof Strings;

const OTHERS: Readonly<Record<string, () => Promise<{ default: Strings }>>> = {
  pt: () => import('../strings/pt.json'),
  ko: () => import('../strings/ko.json'),
  tr: () => import('../strings/tr.json'),
  id: () => import('../strings/id.json'),
};

/**
 * Gives an element the words and number formats of the language it stands in: the nearest `lang` attribute around it,
 * shadow roots included. Languages without a translation get English.
 */
export class Localised implements ReactiveController {
  /** False while the words are on their way; render nothing until then. */
  ready = false;
  /** BCP 47 tag for `Intl`. */
  language = 'en';
  #strings: Strings = english;
  #numbers = new Numbers('en');

  constructor(private readonly host: ReactiveControllerHost & HTMLElement) {
    host.addController(this);
  }

  hostConnected(): void {
    this.language = languageOf(this.host);
    this.#numbers = new Numbers(this.language);
    const load = OTHERS[this.language.toLowerCase().split('-')[0] ?? ''];
    if (load === undefined) {
      this.#use(english);
      return;
    }
    load().then(
      (module) => this.#use(module.default),
      () => this.#use(english),
    );
  }

  /** The words for `key`, with `{name}` replaced by `values.name`. */
  text(key: StringKey, values: Readonly<Record<string, string | number>> = {}): string {
    return this.#strings[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
  }

  /** A number with a true minus sign; `digits` decimals where given, else up to three. */
  number(value: number, digits?: number): string {
    return this.#numbers.number(value, digits);
  }

  /** A share as per cent, with `digits` decimals. */
  percent(share: number, digits: number): string {
    return this.#numbers.percent(share, digits);
  }

  /** A computed value, with a power of ten where `digits` decimals (default 3) would hide it. */
  value(value: number, digits?: number): string {
    return this.#numbers.value(value, digits);
  }

  #use(strings: Strings): void {
    this.#strings = strings;
    this.ready = true;
    this.host.requestUpdate();
  }
}

function languageOf(element: Element): string {
  for (let node: Element | null = element; node !== null;) {
    const language = node.closest('[lang]')?.getAttribute('lang');
    if (language) return language;
    const root: Node = node.getRootNode();
    node = root instanceof ShadowRoot ? root.host : null;
  }
  return 'en';
}
