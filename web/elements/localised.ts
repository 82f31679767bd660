import type { ReactiveController, ReactiveControllerHost } from 'lit';
import english from './strings/en.json';

/** The words of the figures, the same keys in every language. */
export type Strings = typeof english;
export type StringKey = keyof Strings;

const OTHERS: Readonly<Record<string, () => Promise<{ default: Strings }>>> = {
  pt: () => import('./strings/pt.json'),
  ko: () => import('./strings/ko.json'),
  tr: () => import('./strings/tr.json'),
  id: () => import('./strings/id.json'),
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
  #formats = new Map<string, Intl.NumberFormat>();

  constructor(private readonly host: ReactiveControllerHost & HTMLElement) {
    host.addController(this);
  }

  hostConnected(): void {
    this.language = languageOf(this.host);
    this.#formats.clear();
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

  /** A number as the language writes it, with a true minus sign; `digits` decimals where given, else up to three. */
  number(value: number, digits?: number): string {
    return this.#format(digits ?? 0, digits ?? 3)
      .format(value)
      .replace('-', '−');
  }

  /** A share as the language writes per cent, with `digits` decimals. */
  percent(share: number, digits: number): string {
    const options = {
      style: 'percent',
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    } as const;
    return new Intl.NumberFormat(this.language, options).format(share);
  }

  /** A number that may be very small: `0.032`, `3.2 × 10⁻⁷`. */
  small(value: number): string {
    if (value === 0 || Math.abs(value) >= 1e-3) return this.number(value, value === 0 ? 0 : 3);
    const [digits, exponent] = value.toExponential(1).split('e');
    return `${this.number(Number(digits), 1)} × ${powerOfTen(Number(exponent))}`;
  }

  #format(least: number, most: number): Intl.NumberFormat {
    const key = `${least},${most}`;
    let format = this.#formats.get(key);
    if (format === undefined) {
      const options = {
        minimumFractionDigits: least,
        maximumFractionDigits: most,
        signDisplay: 'negative',
      } as const;
      format = new Intl.NumberFormat(this.language, options);
      this.#formats.set(key, format);
    }
    return format;
  }

  #use(strings: Strings): void {
    this.#strings = strings;
    this.ready = true;
    this.host.requestUpdate();
  }
}

/** `10⁻⁷` */
export function powerOfTen(exponent: number): string {
  const raised = String(exponent)
    .replace('-', '⁻')
    .replace(/\d/g, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]!);
  return `10${raised}`;
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
