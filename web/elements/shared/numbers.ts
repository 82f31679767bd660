/** The default number of decimals of a number that is not whole. */
const DECIMALS = 3;

/** The decimal separators of the figures' languages. */
const SEPARATORS: Readonly<Record<string, string>> = { en: '.', ko: '.', pt: ',', tr: ',', id: ',' };

/** Numbers as one language writes them. */
export class Numbers {
  readonly #formats = new Map<string, Intl.NumberFormat>();

  /** @param language  BCP 47 tag for `Intl`. */
  constructor(readonly language: string) {}

  /** With a true minus sign; with `digits` decimals if given, else up to three. */
  number(value: number, digits?: number): string {
    // Below a thousand only the separator differs. A slow phone takes 100 ms for its first Intl.NumberFormat.
    const separator = SEPARATORS[this.language];
    if (separator !== undefined && Math.abs(value) < 999) {
      const fixed = Math.abs(value).toFixed(digits ?? DECIMALS);
      const text = digits === undefined ? fixed.replace(/\.?0+$/, '') : fixed;
      return (value < 0 && Number(text) > 0 ? '−' : '') + text.replace('.', separator);
    }
    return this.#format(digits ?? 0, digits ?? DECIMALS)
      .format(value)
      .replace('-', '−');
  }

  /** A share in per cent, with `digits` decimals. */
  percent(share: number, digits: number): string {
    const sign = SEPARATORS[this.language];
    if (sign !== undefined) {
      const text = this.number(100 * share, digits);
      return this.language === 'tr' ? `%${text}` : `${text}%`;
    }
    const options = {
      style: 'percent',
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    } as const;
    return new Intl.NumberFormat(this.language, options).format(share);
  }

  /**
   * A computed value with `digits` decimals (default 3), or in scientific notation if it would be rounded to zero:
   * `0.032`, `3.2 × 10⁻⁷`. Only zero itself is written as `0`.
   */
  value(value: number, digits = DECIMALS): string {
    if (value === 0) return this.number(0);
    if (!(Math.abs(value) < 10 ** -digits)) return this.number(value, digits);
    const [factor, exponent] = value.toExponential(1).split('e');
    return `${this.number(Number(factor), 1)} × ${powerOfTen(Number(exponent))}`;
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
}

/** `10⁻⁷` without markup, which SVG text does not have. */
export function powerOfTen(exponent: number): string {
  const raised = String(exponent)
    .replace('-', '⁻')
    .replace(/\d/g, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]!);
  return `10${raised}`;
}

/** Seconds in the unit in which the number is between 1 and 1000. */
export function timeText(seconds: number, number: (value: number) => string): string {
  // A power of ten that is computed as a product can be slightly too small.
  const enough = (unit: number): boolean => seconds >= unit * (1 - 1e-9);
  if (enough(1)) return `${number(seconds)} s`;
  if (enough(1e-3)) return `${number(seconds * 1e3)} ms`;
  return enough(1e-6) ? `${number(seconds * 1e6)} µs` : `${number(seconds * 1e9)} ns`;
}

/**
 * The shortest decimal that reads back as the same float32, or as the same float64 if `value` is not a float32. Whole
 * numbers have no decimals.
 */
export function shortest(value: number): string {
  if (Math.fround(value) !== value || Number.isSafeInteger(value)) return String(value);
  // Nine significant digits distinguish any two float32 numbers.
  for (let digits = 1; digits < 9; ++digits) {
    const text = Number(value.toPrecision(digits));
    if (Math.fround(text) === value) return String(text);
  }
  return String(Number(value.toPrecision(9)));
}
